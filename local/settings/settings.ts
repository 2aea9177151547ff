import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '#local/cli/cli-error.ts';
import type { Environment } from '#shared/runtime/settings.ts';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

const DEFAULT_DIRECTORY: string = join(ROOT, '.local');

const IN_MEMORY = ':memory:';
const MAX_PORT = 65_535;

/** The local files that outlive a process. */
export interface Storage {
  /** Contains the issuer's key, which is stored even if the data is in memory. */
  readonly directory: string;
  /** The embedded DynamoDB's file; in memory without it. */
  readonly database?: string;
}

/** Reads `DATA_DIR` (CONTRACT §1). */
export const readStorage = (environment: Environment): Storage => {
  const chosen = environment['DATA_DIR'];
  const directory = chosen && chosen !== IN_MEMORY ? resolve(chosen) : DEFAULT_DIRECTORY;
  return chosen === IN_MEMORY ? { directory } : { directory, database: join(directory, 'dynamodb.sqlite') };
};

/** Reads `PORT` (CONTRACT §1); 0 selects a free port. */
export const portOf = (environment: Environment): number => parsePort('PORT', environment['PORT'] || '3000');

/** @param name of the variable or option, for the error */
export const parsePort = (name: string, text: string): number => {
  if (/^\d+$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new CliError(`${name} must be a number from 0 to ${MAX_PORT}, not ${JSON.stringify(text)}.`, 2);
};

/** A name or an IPv4 address, or an IPv6 address in brackets; without a port. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?|\[[\da-f:.]+\])$/;

/** Reads `ALLOWED_HOSTS`: names in lower case, separated by commas or spaces. */
export const allowedHosts = ({ ALLOWED_HOSTS: text = '' }: Environment): string[] => {
  const names = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const wrong = names.find((name) => !HOST_NAME.test(name));
  if (wrong === undefined) return names;
  throw new CliError(
    `ALLOWED_HOSTS must be host names without ports, such as api,api.test, not ${JSON.stringify(wrong)}.`,
    2,
  );
};

export const JWKS_PATH = '/.well-known/jwks.json';

export const LOCAL_ISSUER = 'urn:invoicing:local';

export const localIdentity = (url: string): Record<string, string> => ({
  ISSUER: LOCAL_ISSUER,
  AUDIENCE: 'invoicing',
  JWKS_URL: url + JWKS_PATH,
});

/** The variables that the environment does not set. An empty variable counts as unset. */
export const unsetVariables = (
  environment: Environment,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(Object.entries(variables).filter(([name]) => !environment[name]));

export const readSettings = <T>(read: (environment: Environment) => T, environment: Environment): T => {
  try {
    return read(environment);
  } catch (error) {
    throw new CliError((error as Error).message);
  }
};
