import type { SendMessageBatchCommandInput, SendMessageBatchCommandOutput } from '@aws-sdk/client-sqs';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { Queue } from '#shared/platform/queues/queue.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';

const { sqs, queueUrl, receive, purge, stop } = await startTestQueueAndFiles();
afterAll(stop);

const queue = new Queue(sqs, queueUrl);
const send = (export_id: number, delayMs = 0) =>
  queue.send({ body: { account_id: `acct_${export_id % 2}`, export_id }, delayMs }, Date.now() + 10_000);

/** The requests in the order in which they were sent: responses may arrive in another order. */
let requests: SendMessageBatchCommandInput[];
/** Changes the response of SQS. */
let answer: (output: SendMessageBatchCommandOutput) => unknown;

beforeEach(async () => {
  // A delayed message of the previous test would arrive in this test.
  await purge();
  requests = [];
  answer = () => {};
});
sqs.middlewareStack.add(
  (next, { commandName }) =>
    async (call) => {
      if (commandName !== 'SendMessageBatchCommand') return next(call);
      requests.push(call.input as SendMessageBatchCommandInput);
      const result = await next(call);
      answer(result.output as SendMessageBatchCommandOutput);
      return result;
    },
  { step: 'initialize', priority: 'high' },
);

const received = async (): Promise<number[]> => {
  const ids: number[] = [];
  for (let messages = await receive(); messages.length > 0; messages = await receive())
    ids.push(...messages.map(({ Body = '' }) => JSON.parse(Body).export_id));
  return ids.sort((a, b) => a - b);
};

test('a message: has the group of its account, so that SQS delivers fairly, and a delay in whole seconds', async () => {
  await send(7, 1200);
  const MessageBody = JSON.stringify({ account_id: 'acct_1', export_id: 7 });
  const Entries = [{ Id: '0', MessageBody, MessageGroupId: 'acct_1', DelaySeconds: 2 }];
  expect(requests).toEqual([{ QueueUrl: queueUrl, Entries }]);
});

test('23 messages at the same time: three requests, and all arrive', async () => {
  const ids = Array.from({ length: 23 }, (_, i) => 100 + i);
  await Promise.all(ids.map((id) => send(id)));
  expect(requests.map(({ Entries = [] }) => Entries.length)).toEqual([10, 10, 3]);
  expect(await received()).toEqual(ids);
});

test('a message after another message was sent: a request of its own', async () => {
  await send(1);
  await send(2);
  expect([requests.length, await received()]).toEqual([2, [1, 2]]);
});

test('one of three messages is not accepted: only its sender gets an error', async () => {
  answer = (output) => {
    output.Failed = [{ Id: '1', SenderFault: false, Code: 'InternalError', Message: 'Try again.' }];
  };
  const outcomes = await Promise.allSettled([send(1), send(2), send(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('InternalError: Try again.') } });
});

test('a request that fails: each sender of its messages gets the error', async () => {
  answer = () => {
    throw new Error('no response');
  };
  const outcomes = await Promise.allSettled([send(1), send(2)]);
  expect(outcomes).toMatchObject([{ reason: { message: 'no response' } }, { reason: { message: 'no response' } }]);
});
