import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the CDK app and the operators' programs read. */
const NEEDED = [
  ...['client', 'docs', 'functions', 'infra', 'local', 'shared'],
  ...['CHANGELOG.md', 'cdk.json', 'package.json', 'tsconfig.json'],
];

export interface Copy {
  readonly root: string;
  /** @throws Error unless the file has the text once */
  change(file: string, before: string, after: string): Promise<void>;
}

/** A copy of the checkout whose code can be changed. */
export const copyCheckout = async (from: string, root: string): Promise<Copy> => {
  for (const name of NEEDED) await cp(join(from, name), join(root, name), { recursive: true });
  await symlink(join(from, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    async change(file, before, after) {
      const text = await readFile(join(root, file), 'utf8');
      if (text.split(before).length !== 2) throw new Error(`${file} does not have ${JSON.stringify(before)} once.`);
      await writeFile(join(root, file), text.replace(before, after));
    },
  };
};
