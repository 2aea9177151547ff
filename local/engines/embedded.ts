import { randomBytes } from 'node:crypto';
import type { Keys } from './guards/signature.ts';

const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_S3'];

/**
 * Points the SDK at an embedded engine.
 * @param variable the one of the SDK's that holds the service's address
 */
export const useEmbedded = (environment: NodeJS.ProcessEnv, variable: string, endpoint: string): void => {
  environment[variable] = endpoint;
  keysFor(environment);
};

/**
 * Forgets keys that the environment brings along when no engine needs them: a key that is known elsewhere, such as
 * `test`, must not open the embedded engines.
 */
export const forgetKeys = (environment: NodeJS.ProcessEnv): void => {
  if (!ENDPOINTS.some((variable) => environment[variable])) delete environment['AWS_ACCESS_KEY_ID'];
};

/** The keys that requests to embedded engines are signed with: those that are set, otherwise random ones. */
export const keysFor = (environment: NodeJS.ProcessEnv): Keys => {
  // With a profile set, the SDK passes over the variables below and tries a login that may have expired.
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
