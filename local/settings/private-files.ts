import { mkdir, mkdtemp, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { readStorage, type Storage } from './settings.ts';

/** Creates the directory of the data and keys for its owner only. An existing one keeps its mode, because others may use it. */
export const openDirectory = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
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
