import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  'functions',
  'shared',

  'infra',
  'local',
  'docs',
  'package.json',
  'tsconfig.json',
  'cdk.json',
];

/** A copy of the checkout. */
export interface Checkout {
  readonly root: string;
  remove(): Promise<void>;
}

/** Copies the checkout, so that a test can build and edit it without side effects. */
export const checkout = async (): Promise<Checkout> => {
  const root = await mkdtemp(join(tmpdir(), 'invoicing-'));
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true })));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
};
