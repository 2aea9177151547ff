import { randomUUID } from 'node:crypto';
import { startDynamo } from '#local/engines/dynamodb.ts';
import type { RunningEngine } from '#local/engines/engine.ts';
import './credentials.ts';

/**
 * Starts the embedded DynamoDB for a test. In the project dynamodb-local, all tests share one DynamoDB Local;
 * it separates data by access key, so each call sets a new key.
 */
export const startTestDynamo = async (): Promise<RunningEngine> => {
  const endpoint = process.env['DYNAMODB_LOCAL_ENDPOINT'];
  if (!endpoint) return startDynamo();
  process.env['AWS_ACCESS_KEY_ID'] = randomUUID().replaceAll('-', '');
  return { endpoint, ended: new Promise(() => {}), stop: async () => {} };
};
