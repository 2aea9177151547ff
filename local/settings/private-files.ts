import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DEFAULT_DIRECTORY } from './settings.ts';

/** What this program keeps in its directory, with the files that SQLite adds. */
const OURS = /^(issuer\.json|engines\.env|(dynamodb\.sqlite|fauxqs\.db)(-wal|-shm|-journal)?)$/;

/** A file may go while it is looked at. */
const unlessGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

const restrict = async (file: string): Promise<void> => {
  if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
};

/**
 * Makes the directory of this machine's data and keys, for its owner alone, and takes away what an earlier version let
 * other users read. A directory that somebody made and named in `DATA_DIR` keeps its mode: it may be anybody's.
 */
export const openDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (resolve(directory) === DEFAULT_DIRECTORY) await chmod(directory, 0o700);
  const files = (await readdir(directory)).filter((name) => OURS.test(name));
  await Promise.all(files.map((name) => restrict(join(directory, name)).catch(unlessGone)));
};

/** Makes a file that only its owner may read, unless it is there. */
export const createPrivateFile = (file: string): Promise<void> => writeFile(file, '', { mode: 0o600, flag: 'a' });
