import { randomUUID } from 'node:crypto';
import { type RunningEngine, startDynamo } from '#local/engines/dynamodb.ts';

/**
 * Starts a DynamoDB for a test: the embedded one; in a run of npm run test:dynamodb-local the DynamoDB Local that the run
 * has started, which all tests share. It keeps apart the data of each access key, so that every start takes a new one.
 */
export const startTestDynamo = async (): Promise<RunningEngine> => {
  const endpoint = process.env['DYNAMODB_LOCAL_ENDPOINT'];
  if (!endpoint) return startDynamo();
  process.env['AWS_ACCESS_KEY_ID'] = randomUUID().replaceAll('-', '');
  return { endpoint, ended: new Promise(() => {}), stop: async () => {} };
};
