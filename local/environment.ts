import { BUCKET_VARIABLE } from '#shared/data/queues.ts';
import { corsOrigins, idempotencyHours, identity } from '#shared/settings.ts';
import { localIdentity, missing, readSettings } from './settings.ts';
import { tableVariables } from './tables.ts';

/** The region is a part of every signature, and the bucket has to have a name. */
const FIXED = { AWS_REGION: 'local', [BUCKET_VARIABLE]: 'exports' };

/**
 * Fills in what the handlers read from the environment, and leaves what is set as it is.
 * @throws Failure naming a variable that they could not read
 */
export const fillEnvironment = (environment: NodeJS.ProcessEnv, url: string): void => {
  Object.assign(environment, missing(environment, { ...FIXED, ...localIdentity(url), ...tableVariables() }));
  for (const read of [identity, corsOrigins, idempotencyHours]) readSettings<unknown>(read, environment);
};
