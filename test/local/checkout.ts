import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  'functions',
  'shared',
  'infra',
  'local',
  'client',
  'docs',
  'CHANGELOG.md',
  'package.json',
  'tsconfig.json',
  'cdk.json',
];

/** A copy of the checkout. */
export interface Checkout {
  readonly root: string;
  remove(): Promise<void>;
}

const PACKAGES = join(ROOT, 'node_modules');

const linkPackages = async (directory: string, hidesDynoxide: boolean): Promise<void> => {
  if (!hidesDynoxide) return symlink(PACKAGES, directory);
  const names = (await readdir(PACKAGES)).filter((name) => name !== '@dynoxide');
  await mkdir(directory);
  await Promise.all(names.map((name) => symlink(join(PACKAGES, name), join(directory, name))));
};

export const copyCheckout = async (root: string, hidesDynoxide: boolean): Promise<void> => {
  await Promise.all(COPIED.map((name) => cp(join(ROOT, name), join(root, name), { recursive: true })));
  await linkPackages(join(root, 'node_modules'), hidesDynoxide);
};

/**
 * Copies the checkout, so that a test can build and edit it without side effects.
 * @param hidesDynoxide as on a system without its binary; the default in the test project dynamodb-local
 */
export const checkout = async (hidesDynoxide = 'DYNAMODB_LOCAL_ENDPOINT' in process.env): Promise<Checkout> => {
  const root = await mkdtemp(join(tmpdir(), 'invoicing-'));
  await copyCheckout(root, hidesDynoxide);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
};
