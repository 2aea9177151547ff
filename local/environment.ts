import { CliError } from '#local/cli/cli-error.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { BUCKET_VARIABLE } from '#shared/invoicing/queues.ts';
import { type Environment, settingsOf } from '#shared/runtime/settings.ts';
import { allowedHosts, localIdentity, readSettings, unsetVariables } from './settings/settings.ts';
import { findTypingErrors } from './settings/typing-errors.ts';

/**
 * Signatures contain a region, and the bucket needs a name. Webhooks may reach receivers on this machine. The limit of
 * an account is higher than on AWS, so that local trials rarely meet it.
 */
const FIXED = {
  AWS_REGION: 'local',
  [BUCKET_VARIABLE]: 'exports',
  WEBHOOK_ALLOW_LOCAL: 'true',
  RATE_LIMIT_PER_SECOND: '1000',
};

const LOG_LEVEL = 'POWERTOOLS_LOG_LEVEL';
/** The functions ignore any other level. */
const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'CRITICAL', 'SILENT'];

/** Only warnings and errors; with `POWERTOOLS_LOG_LEVEL=INFO` the server prints a line for each request. */
const QUIET = { [LOG_LEVEL]: 'WARN', POWERTOOLS_METRICS_DISABLED: 'true' };

/** The settings of the local server itself. */
const LOCAL_SETTINGS = [LOG_LEVEL, 'PORT', 'DATA_DIR', 'DYNOXIDE_BIN', 'ALLOWED_HOSTS'];

/**
 * Adds the missing variables.
 * @returns warnings about variables that look like misspelled settings
 */
export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): string[] => {
  const filled = { ...FIXED, ...QUIET, ...localIdentity(url), ...tableVariables() };
  Object.assign(environment, unsetVariables(environment, filled));
  const level = environment[LOG_LEVEL] as string;
  if (!LOG_LEVELS.includes(level.toUpperCase())) {
    throw new CliError(`${LOG_LEVEL} must be one of ${LOG_LEVELS.join(', ')}, not ${JSON.stringify(level)}.`);
  }
  allowedHosts(environment);
  return findTypingErrors(environment, [...LOCAL_SETTINGS, ...readServiceSettings(environment)]);
};

/** Checks the service's settings, and returns their names. */
const readServiceSettings = (environment: Environment): string[] => {
  const names: string[] = [];
  const recording = new Proxy(environment, {
    get: (target, name: string) => {
      names.push(name);
      return target[name];
    },
  });
  readSettings(settingsOf, recording);
  return names;
};
