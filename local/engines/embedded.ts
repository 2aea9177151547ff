import { randomBytes } from 'node:crypto';
import type { Keys } from './guards/signature.ts';

const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_S3'];

export const useEmbedded = (environment: NodeJS.ProcessEnv, variable: string, endpoint: string): void => {
  environment[variable] = endpoint;
  keysFor(environment);
};

/**
 * Deletes the environment's keys if no other engine needs them: a well-known key, such as `test`, must not give access
 * to the embedded engines.
 */
export const dropUnusedKeys = (environment: NodeJS.ProcessEnv): void => {
  if (!ENDPOINTS.some((variable) => environment[variable])) delete environment['AWS_ACCESS_KEY_ID'];
};

/** The keys for requests to embedded engines: the environment's, or random ones, which it adds to the environment. */
export const keysFor = (environment: NodeJS.ProcessEnv): Keys => {
  // With a profile, the SDK ignores the variables below and tries a login that may have expired.
  delete environment['AWS_PROFILE'];
  if (!environment['AWS_ACCESS_KEY_ID'] || !environment['AWS_SECRET_ACCESS_KEY']) {
    environment['AWS_ACCESS_KEY_ID'] = randomBytes(10).toString('hex');
    environment['AWS_SECRET_ACCESS_KEY'] = randomBytes(20).toString('hex');
    delete environment['AWS_SESSION_TOKEN'];
  }
  return {
    accessKeyId: environment['AWS_ACCESS_KEY_ID'],
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'],
    sessionToken: environment['AWS_SESSION_TOKEN'],
  };
};
