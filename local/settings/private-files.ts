import { chmod, mkdir, mkdtemp, readdir, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { DEFAULT_DIRECTORY, readStorage, type Storage } from './settings.ts';

/** The files that this program and SQLite create in the directory. */
const OWN_FILES = /^(issuer\.json|engines\.env|(dynamodb\.sqlite|fauxqs\.db)(-wal|-shm|-journal)?)$/;

/** Another process may delete a file at the same time. */
const unlessGone = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

const restrict = async (file: string): Promise<void> => {
  if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600);
};

/**
 * Creates a directory and its missing parents. Node's own `recursive` tries forever, also after Ctrl-C, in a directory
 * in which nobody can create another directory, such as /proc.
 */
const createDirectory = async (directory: string): Promise<void> => {
  const create = () => mkdir(directory, { mode: 0o700 });
  const createWithParents = async (error: NodeJS.ErrnoException): Promise<void> => {
    if (error.code !== 'ENOENT') throw error;
    await createDirectory(dirname(directory));
    await create();
  };
  await create()
    .catch(createWithParents)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
};

/**
 * Creates the directory of the data and keys for its owner only, and removes other users' permissions on its files. A
 * directory from `DATA_DIR` keeps its mode, because it may serve other purposes.
 */
export const openDirectory = async (directory: string): Promise<void> => {
  await createDirectory(directory);
  if (resolve(directory) === DEFAULT_DIRECTORY) await chmod(directory, 0o700);
  const files = (await readdir(directory)).filter((name) => OWN_FILES.test(name));
  await Promise.all(files.map((name) => restrict(join(directory, name)).catch(unlessGone)));
};

/** @throws CliError unless the directory of the data and keys exists or can be created, and can be written */
export const openStorage = async (environment: Environment): Promise<Storage> => {
  const storage = readStorage(environment);
  try {
    await openDirectory(storage.directory);
    await rmdir(await mkdtemp(join(storage.directory, 'write-check-')));
  } catch (error) {
    throw new CliError(`Cannot write to DATA_DIR, the directory of the data: ${(error as Error).message}`);
  }
  return storage;
};

export const createPrivateFile = (file: string): Promise<void> => writeFile(file, '', { mode: 0o600, flag: 'a' });
