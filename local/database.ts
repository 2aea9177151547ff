import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type RunningEngine, startDynamo } from './engine.ts';
import { Failure } from './failure.ts';
import { createTables } from './tables.ts';

const ENDPOINT = 'AWS_ENDPOINT_URL_DYNAMODB';

/** Points the SDK at the embedded engine, which checks no signature; but the SDK sends no request without one. */
const useEmbedded = (environment: NodeJS.ProcessEnv, endpoint: string): void => {
  environment[ENDPOINT] = endpoint;
  // With a profile set, the SDK passes over the variables below and tries a login that may have expired.
  delete environment['AWS_PROFILE'];
  if (environment['AWS_ACCESS_KEY_ID'] && environment['AWS_SECRET_ACCESS_KEY']) return;
  environment['AWS_ACCESS_KEY_ID'] = 'local';
  environment['AWS_SECRET_ACCESS_KEY'] = 'local';
};

const startEmbedded = async (file: string | undefined): Promise<RunningEngine> => {
  try {
    if (file) await mkdir(dirname(file), { recursive: true });
  } catch (error) {
    throw new Failure(`The data cannot be kept: ${(error as Error).message}`);
  }
  return startDynamo(file);
};

/**
 * Opens the DynamoDB that the environment names, or starts the embedded one, and creates the tables that it lacks.
 * @returns the embedded one
 * @throws Failure when neither can be used
 */
export const openDatabase = async (
  environment: NodeJS.ProcessEnv,
  file: string | undefined,
): Promise<RunningEngine | undefined> => {
  const engine = environment[ENDPOINT] ? undefined : await startEmbedded(file);
  if (engine) useEmbedded(environment, engine.endpoint);
  const endpoint = environment[ENDPOINT] as string;
  try {
    await createTables(endpoint, environment);
  } catch (error) {
    // Node tries every address of a name, and says nothing in the error that gathers their failures.
    const { message, code } = error as NodeJS.ErrnoException;
    await engine?.stop();
    throw new Failure(`No tables can be created at ${endpoint}: ${message || code}`);
  }
  return engine;
};
