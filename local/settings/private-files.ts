import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DEFAULT_DIRECTORY } from './settings.ts';

/** The files that this program creates in its directory, with those that SQLite adds. */
const OWN_FILES = /^(issuer\.json|engines\.env|(dynamodb\.sqlite|fauxqs\.db)(-wal|-shm|-journal)?)$/;

/** Another process may delete a file at the same time. */
const unlessGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

const restrict = async (file: string): Promise<void> => {
  if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
};

/**
 * Creates the directory of the data and keys for its owner only, and removes other users' permissions on its files. A
 * directory from `DATA_DIR` keeps its mode, because it may serve other purposes.
 */
export const openDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (resolve(directory) === DEFAULT_DIRECTORY) await chmod(directory, 0o700);
  const files = (await readdir(directory)).filter((name) => OWN_FILES.test(name));
  await Promise.all(files.map((name) => restrict(join(directory, name)).catch(unlessGone)));
};

export const createPrivateFile = (file: string): Promise<void> => writeFile(file, '', { mode: 0o600, flag: 'a' });
