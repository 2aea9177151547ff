import { tableVariables } from '#local/engines/tables.ts';
import { BUCKET_VARIABLE } from '#shared/invoicing/queues.ts';
import { settingsOf } from '#shared/lambda/settings.ts';
import { localIdentity, readSettings, unsetVariables } from './settings/settings.ts';

/** Signatures contain a region, and the bucket needs a name. */
const FIXED = { AWS_REGION: 'local', [BUCKET_VARIABLE]: 'exports' };

/** Only warnings and errors; with `POWERTOOLS_LOG_LEVEL=INFO` the server prints a line for each request. */
const QUIET = { POWERTOOLS_LOG_LEVEL: 'WARN', POWERTOOLS_METRICS_DISABLED: 'true' };

export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): void => {
  const filled = { ...FIXED, ...QUIET, ...localIdentity(url), ...tableVariables() };
  Object.assign(environment, unsetVariables(environment, filled));
  readSettings(settingsOf, environment);
};
