const ENDPOINTS = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_S3'];

/** Well-known: the embedded engines keep nothing secret by them. */
export const LOCAL = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' } as const;

/**
 * Sets the credentials and the region of requests to the engines, so that no request has the developer's own keys:
 * fixed keys, unless the environment names an engine and has keys for it.
 */
export const setCredentials = (environment: NodeJS.ProcessEnv): void => {
  // With a profile, the SDK ignores the variables below and tries a login that may have expired.
  delete environment['AWS_PROFILE'];
  const hasKeys = environment['AWS_ACCESS_KEY_ID'] && environment['AWS_SECRET_ACCESS_KEY'];
  if (hasKeys && ENDPOINTS.some((name) => environment[name])) return;
  Object.assign(environment, LOCAL);
  delete environment['AWS_SESSION_TOKEN'];
};

/**
 * Sets the access key of DynamoDB Local's data. Keys for another engine in the environment also select their own data.
 */
export const setDataKey = (environment: NodeJS.ProcessEnv, accessKeyId: string | undefined): void => {
  if (accessKeyId && environment['AWS_ACCESS_KEY_ID'] === LOCAL.AWS_ACCESS_KEY_ID)
    environment['AWS_ACCESS_KEY_ID'] = accessKeyId;
};
