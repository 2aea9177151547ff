import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from '@jest/globals';
import { Queue } from '#shared/platform/queues/queue.ts';

test('a message: has the group of its account, so that SQS delivers fairly, and a delay in whole seconds', async () => {
  const client = new SQSClient({ region: 'local' });
  const inputs: unknown[] = [];
  // The local engine does not return the group of a message in a standard queue.
  const record = async ({ input }: { input: unknown }) => ({ output: { $metadata: { attempts: inputs.push(input) } } });
  client.middlewareStack.add((() => record) as never, { step: 'initialize', priority: 'high' });
  const body = { account_id: 'acct_1', export_id: 7 };
  const queue = new Queue(client, 'https://sqs.test/exports');
  await queue.send({ body, delayMs: 1200 }, Date.now() + 1000);
  const MessageBody = JSON.stringify(body);
  const sent = { QueueUrl: 'https://sqs.test/exports', MessageBody, MessageGroupId: 'acct_1', DelaySeconds: 2 };
  expect(inputs).toEqual([sent]);
});
