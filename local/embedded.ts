import type { Keys } from './signature.ts';

/** What the SDK signs with; one without keys sends no request, and the embedded engines take any. */
const LOCAL = 'local';

/**
 * Points the SDK at an embedded engine.
 * @param variable the one of the SDK's that holds the service's address
 */
export const useEmbedded = (environment: NodeJS.ProcessEnv, variable: string, endpoint: string): void => {
  environment[variable] = endpoint;
  keysFor(environment);
};

/** The keys that requests to embedded engines are signed with: those that are set, else some of our own. */
export const keysFor = (environment: NodeJS.ProcessEnv): Keys => {
  // With a profile set, the SDK passes over the variables below and tries a login that may have expired.
  delete environment['AWS_PROFILE'];
  if (!environment['AWS_ACCESS_KEY_ID'] || !environment['AWS_SECRET_ACCESS_KEY']) {
    environment['AWS_ACCESS_KEY_ID'] = LOCAL;
    environment['AWS_SECRET_ACCESS_KEY'] = LOCAL;
    delete environment['AWS_SESSION_TOKEN'];
  }
  return {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'],
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'],
    sessionToken: environment['AWS_SESSION_TOKEN'],
  };
};
