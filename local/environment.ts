import { corsOrigins, ends, idempotencyHours, identity } from '#shared/settings.ts';
import { localIdentity, missing, readSettings } from './settings.ts';
import { tableVariables } from './tables.ts';

/** A terminal is told what went wrong; `POWERTOOLS_LOG_LEVEL=INFO npm start` prints a line for each request, too. */
const QUIET = { POWERTOOLS_LOG_LEVEL: 'WARN', POWERTOOLS_METRICS_DISABLED: 'true' };

/**
 * Fills in what the handlers read from the environment, and leaves what is set as it is.
 * @throws Failure naming a variable that they could not read
 */
export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): void => {
  const filled = { AWS_REGION: 'local', ...QUIET, ...localIdentity(url), ...tableVariables() };
  Object.assign(environment, missing(environment, filled));
  for (const read of [identity, corsOrigins, idempotencyHours, ends]) readSettings<unknown>(read, environment);
};
