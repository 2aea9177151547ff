import { corsOrigins, idempotencyHours, identity } from '#shared/settings.ts';
import { localIdentity, missing, readSettings } from './settings.ts';
import { tableVariables } from './tables.ts';

/**
 * Fills in what the handlers read from the environment, and leaves what is set as it is.
 * @throws Failure naming a variable that they could not read
 */
export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): void => {
  Object.assign(environment, missing(environment, { AWS_REGION: 'local', ...localIdentity(url), ...tableVariables() }));
  for (const read of [identity, corsOrigins, idempotencyHours]) readSettings<unknown>(read, environment);
};
