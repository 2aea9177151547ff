import { dirname } from 'node:path';
import { CliError } from '#local/cli/cli-error.ts';
import { openDirectory } from '#local/settings/private-files.ts';
import { type RunningEngine, startDynamo } from './dynamodb.ts';
import { keysFor, useEmbedded } from './embedded.ts';
import { guardDynamo } from './guards/dynamodb.ts';
import { createTables } from './tables.ts';

const ENDPOINT = 'AWS_ENDPOINT_URL_DYNAMODB';

const startEmbedded = async (environment: NodeJS.ProcessEnv, file: string | undefined): Promise<RunningEngine> => {
  try {
    if (file) await openDirectory(dirname(file));
  } catch (error) {
    throw new CliError(`The data cannot be kept: ${(error as Error).message}`);
  }
  const engine = await guardDynamo(await startDynamo(file), keysFor(environment));
  useEmbedded(environment, ENDPOINT, engine.endpoint);
  return engine;
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
  const engine = environment[ENDPOINT] ? undefined : await startEmbedded(environment, file);
  const endpoint = environment[ENDPOINT] as string;
  try {
    await createTables(endpoint, environment);
  } catch (error) {
    // Node tries every address of a name, and says nothing in the error that gathers their failures.
    const { message, code } = error as NodeJS.ErrnoException;
    await engine?.stop();
    throw new CliError(`No tables can be created at ${endpoint}: ${message || code}`);
  }
  return engine;
};
