import { tableVariables } from '#local/engines/tables.ts';
import { BUCKET_VARIABLE } from '#shared/invoicing/queues.ts';
import { settingsOf } from '#shared/lambda/settings.ts';
import { localIdentity, missing, readSettings } from './settings/settings.ts';

/** The region is a part of every signature, and the bucket has to have a name. */
const FIXED = { AWS_REGION: 'local', [BUCKET_VARIABLE]: 'exports' };

/** A terminal is told what went wrong; `POWERTOOLS_LOG_LEVEL=INFO npm start` prints a line for each request, too. */
const QUIET = { POWERTOOLS_LOG_LEVEL: 'WARN', POWERTOOLS_METRICS_DISABLED: 'true' };

/**
 * Fills in what the handlers read from the environment, and leaves what is set as it is.
 * @throws Failure naming a variable that they could not read
 */
export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): void => {
  const filled = { ...FIXED, ...QUIET, ...localIdentity(url), ...tableVariables() };
  Object.assign(environment, missing(environment, filled));
  readSettings(settingsOf, environment);
};
