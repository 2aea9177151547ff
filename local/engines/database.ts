import { dirname } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import { openDirectory } from '#local/settings/private-files.ts';
import { setDataKey } from './credentials.ts';
import { startDynamo } from './dynamodb.ts';
import type { RunningEngine } from './engine.ts';
import { Limiter } from './limits/limiter.ts';
import { limitDynamo } from './limits/proxy.ts';
import { type Limits, readUnitsOf } from './limits/settings.ts';
import { createTables } from './tables.ts';

const ENDPOINT = 'AWS_ENDPOINT_URL_DYNAMODB';

const startEmbedded = async (
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
  limits: Partial<Limits> | undefined,
): Promise<RunningEngine> => {
  if (file) await openDirectory(dirname(file));
  const started = await startDynamo(file);
  const engine = limits ? await limitDynamo(started, new Limiter(limits)) : started;
  environment[ENDPOINT] = engine.endpoint;
  setDataKey(environment, engine.accessKeyId);
  if (limits) environment['PARTITION_READ_UNITS'] ??= String(readUnitsOf(limits));
  return engine;
};

/**
 * Creates the missing tables, in the embedded engine unless the environment names another.
 * @param limits of the embedded engine; none by default
 * @returns the embedded engine, if it was started
 */
export const openDatabase = async (
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
  limits?: Partial<Limits>,
): Promise<RunningEngine | undefined> => {
  const engine = environment[ENDPOINT] ? undefined : await startEmbedded(environment, file, limits);
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
