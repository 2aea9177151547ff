import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that the bundles depend on; packages by their locked versions. */
const SOURCES = ['functions', 'shared', 'infra', 'docs/guides', 'docs/examples.json'];
const INPUTS = [...SOURCES, 'package.json', 'package-lock.json', 'tsconfig.json'];

const filesIn = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  return entries?.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])) ?? [path];
};

export const fingerprint = async (root: string): Promise<string> => {
  const hash = createHash('sha256');
  const files = (await Promise.all(INPUTS.map((name) => filesIn(join(root, name))))).flat().sort();
  for (const file of files) hash.update(`${file}\0`).update(await readFile(file).catch(() => ''));
  return hash.digest('hex');
};
