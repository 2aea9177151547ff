import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '#local/cli/cli-error.ts';
import type { Environment } from '#shared/lambda/settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the bundles are built, as for a deployment. */
export const BUNDLES: string = join(ROOT, 'dist');

/** What the bundles are made of. */
export const SOURCES: readonly string[] = [join(ROOT, 'functions'), join(ROOT, 'shared'), join(ROOT, 'shared/openapi')];

/** Where data and keys are kept unless `DATA_DIR` says otherwise. */
export const DEFAULT_DIRECTORY: string = join(ROOT, '.local');

const IN_MEMORY = ':memory:';
const MOST_PORT = 65_535;

/** Where this machine keeps what outlives a process. */
export interface Storage {
  /** Holds the issuer's key, which is no data and is kept even where the data is not. */
  readonly directory: string;
  /** The engine's file; in memory without it. */
  readonly database?: string;
}

/** Reads `DATA_DIR` (CONTRACT §1). */
export const storage = (environment: Environment): Storage => {
  const chosen = environment['DATA_DIR'];
  const directory = chosen && chosen !== IN_MEMORY ? resolve(chosen) : DEFAULT_DIRECTORY;
  return chosen === IN_MEMORY ? { directory } : { directory, database: join(directory, 'dynamodb.sqlite') };
};

/**
 * Reads `PORT` (CONTRACT §1); 0 lets the system choose.
 * @throws Failure for what is no port
 */
export const portOf = (environment: Environment): number => {
  const text = environment['PORT'] || '3000';
  if (/^\d+$/.test(text) && Number(text) <= MOST_PORT) return Number(text);
  throw new CliError(`PORT must be a number from 0 to ${MOST_PORT}, not ${JSON.stringify(text)}.`, 2);
};

/** Where the local issuer's public key is served (CONTRACT §4). */
export const JWKS_PATH = '/.well-known/jwks.json';

/** Whose tokens the local service takes, and where their keys are, unless the environment says otherwise. */
export const localIdentity = (url: string): Record<string, string> => ({
  ISSUER: 'urn:invoicing:local',
  AUDIENCE: 'invoicing',
  JWKS_URL: url + JWKS_PATH,
});

/** Those of some variables that an environment does not set; an empty one is not set. */
export const missing = (
  environment: Environment,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(Object.entries(variables).filter(([name]) => !environment[name]));

/**
 * Reads the service's settings out of an environment.
 * @throws Failure naming the variable that is malformed
 */
export const readSettings = <T>(read: (environment: Environment) => T, environment: Environment): T => {
  try {
    return read(environment);
  } catch (error) {
    throw new CliError((error as Error).message);
  }
};
