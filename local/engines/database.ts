import { dirname } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import { openDirectory } from '#local/settings/private-files.ts';
import { setDataKey } from './credentials.ts';
import { startDynamo } from './dynamodb.ts';
import type { RunningEngine } from './engine.ts';
import { createTables } from './tables.ts';

const ENDPOINT = 'AWS_ENDPOINT_URL_DYNAMODB';

const startEmbedded = async (environment: NodeJS.ProcessEnv, file: string | undefined): Promise<RunningEngine> => {
  if (file) await openDirectory(dirname(file));
  const engine = await startDynamo(file);
  environment[ENDPOINT] = engine.endpoint;
  setDataKey(environment, engine.accessKeyId);
  return engine;
};

/**
 * Creates the missing tables, in the embedded engine unless the environment names another engine.
 * @returns the embedded engine, if it was started
 */
export const openDatabase = async (
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
): Promise<RunningEngine | undefined> => {
  const engine = environment[ENDPOINT] ? undefined : await startEmbedded(environment, file);
  const endpoint = environment[ENDPOINT] as string;
  try {
    await createTables(endpoint, environment);
  } catch (error) {
    // Node tries every address of a host name, and its collected error has a code, but no message.
    const { message, code } = error as NodeJS.ErrnoException;
    await engine?.stop();
    throw new CliError(`Cannot create the tables at AWS_ENDPOINT_URL_DYNAMODB=${endpoint}: ${message || code}`);
  }
  return engine;
};
