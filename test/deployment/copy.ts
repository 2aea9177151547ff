import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyCheckout } from '../local/checkout.ts';

export interface Copy {
  readonly root: string;
  /** @throws Error unless the file has the text once */
  change(file: string, before: string, after: string): Promise<void>;
}

/** Copies the checkout, so that its code can be changed. */
export const createCopy = async (root: string): Promise<Copy> => {
  await copyCheckout(root, false);
  return {
    root,
    async change(file, before, after) {
      const text = await readFile(join(root, file), 'utf8');
      if (text.split(before).length !== 2) throw new Error(`${file} does not have ${JSON.stringify(before)} once.`);
      await writeFile(join(root, file), text.replace(before, after));
    },
  };
};
