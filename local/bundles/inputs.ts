import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';

/** Everything that the local bundles depend on; packages by their locked versions. */
const INPUTS = [
  'functions',
  'shared',
  'infra/build',
  'local/bundles',
  'CHANGELOG.md',
  'docs/guides',
  'docs/examples.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** Excludes the temporary files of editors. */
const EXTENSIONS = /\.(ts|js|html|md|json)$/;

const filesIn = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  const files = entries?.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])) ?? [path];
  return files.filter((file) => EXTENSIONS.test(file));
};

export const fingerprint = async (root: string): Promise<string> => {
  const hash = createHash('sha256');
  const files = (await Promise.all(INPUTS.map((name) => filesIn(join(root, name))))).flat().sort();
  for (const file of files) hash.update(`${file}\0`).update(await readFile(file).catch(() => ''));
  return hash.digest('hex');
};

/** Watches the inputs. Node's recursive `watch` follows inodes on Linux: it loses a file that an editor replaces. */
export const watchInputs = async (root: string): Promise<FSWatcher> => {
  const watcher = watch(INPUTS, {
    cwd: root,
    ignoreInitial: true,
    ignored: (path, stats) => stats?.isFile() === true && !EXTENSIONS.test(path),
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return watcher;
};

/** One save by an editor causes several events. */
const SETTLE_MS = 50;

/**
 * Calls back after each burst of changes.
 * @returns stops
 */
export const onInputChange = async (root: string, changed: () => void): Promise<() => Promise<void>> => {
  let timer: NodeJS.Timeout | undefined;
  const watcher = await watchInputs(root);
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS);
  });
  return () => watcher.close();
};
