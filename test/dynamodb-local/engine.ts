import { randomUUID } from 'node:crypto';
import type { RunningEngine } from '../../local/engines/dynamodb.ts';

export type { RunningEngine } from '../../local/engines/dynamodb.ts';

/**
 * Stands in for local/engines/dynamodb.ts where tests run on DynamoDB Local (jest.config.mjs here): all share the one that run.ts
 * has started. It keeps apart the data of each access key, so that every start takes a new one.
 */
export const startDynamo = async (): Promise<RunningEngine> => {
  const endpoint = process.env['DYNAMODB_LOCAL_ENDPOINT'];
  if (!endpoint) throw new Error('DYNAMODB_LOCAL_ENDPOINT is not set: run npm run test:dynamodb-local.');
  process.env['AWS_ACCESS_KEY_ID'] = randomUUID().replaceAll('-', '');
  return { endpoint, ended: new Promise(() => {}), stop: async () => {} };
};
