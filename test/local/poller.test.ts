import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handledMessages } from '#local/workers/batch.ts';
import { poll, type RunningTask } from '#local/workers/poller.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';

const HIDDEN_S = 1;
const RECEIVES = 2;
const ARN = 'arn:aws:sqs:local:000000000000:exports';

let running: RunningTask | undefined;
const logged = jest.spyOn(console, 'error');

const attribute = async (url: string, name: 'QueueArn' | 'ApproximateNumberOfMessagesNotVisible') => {
  const answer = await engine.sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }));
  return answer.Attributes?.[name] as string;
};

const engine = await startTestQueueAndFiles();
const dead = `${engine.queueUrl}-dead`;
await engine.sqs.send(new CreateQueueCommand({ QueueName: `${engine.bucket}-dead` }));
const RedrivePolicy = JSON.stringify({
  deadLetterTargetArn: await attribute(dead, 'QueueArn'),
  maxReceiveCount: RECEIVES,
});
const Attributes = { VisibilityTimeout: String(HIDDEN_S), RedrivePolicy };
await engine.sqs.send(new SetQueueAttributesCommand({ QueueUrl: engine.queueUrl, Attributes }));
afterAll(() => engine.stop());
beforeEach(() => {
  logged.mockReset();
});
afterEach(async () => {
  await running?.stop(3000);
  running = undefined;
  await engine.purge();
});

const send = async (...bodies: readonly string[]): Promise<void> => {
  for (const MessageBody of bodies) {
    await engine.sqs.send(new SendMessageCommand({ QueueUrl: engine.queueUrl, MessageBody }));
  }
};

type Invoke = (event: SQSEvent) => Promise<SQSBatchResponse | undefined>;

const start = (invoke: Invoke, batch = 10, concurrency = 10, opening?: Promise<void>): void => {
  running = poll(engine.sqs, { url: engine.queueUrl, arn: ARN, batch, concurrency, invoke, opening });
};

const bodiesOf = ({ Records }: SQSEvent): string[] => Records.map(({ body }) => body);

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 10_000; !(await holds()); await sleep(20)) {
    if (Date.now() > end) throw new Error('The condition did not become true within 10 s.');
  }
};

const isEmpty = async () => {
  const left = await attribute(engine.queueUrl, 'ApproximateNumberOfMessagesNotVisible');
  return left === '0';
};

const deadLetters = async (): Promise<string[]> => {
  const { Messages = [] } = await engine.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: dead, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => Body as string);
};

test('an event: holds its messages in Lambda’s form', async () => {
  const events: SQSEvent[] = [];
  start(async (event) => void events.push(event));
  await engine.sqs.send(
    new SendMessageCommand({
      QueueUrl: engine.queueUrl,
      MessageBody: '{"export_id":1}',
      MessageAttributes: {
        trace: { DataType: 'String', StringValue: 'a' },
        seal: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2]) },
      },
    }),
  );
  await until(() => events.length > 0);
  const { Records } = events[0] as SQSEvent;
  const lists = { stringListValues: [], binaryListValues: [] };
  const [record] = Records;
  expect(record).toEqual({
    messageId: expect.any(String),
    receiptHandle: expect.any(String),
    body: '{"export_id":1}',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d+$/),
      SenderId: expect.any(String),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d+$/),
    },
    messageAttributes: {
      trace: { stringValue: 'a', dataType: 'String', ...lists },
      seal: { binaryValue: 'AQI=', dataType: 'Binary', ...lists },
    },
    md5OfBody: expect.any(String),
    md5OfMessageAttributes: expect.any(String),
    eventSource: 'aws:sqs',
    eventSourceARN: ARN,
    awsRegion: 'local',
  });
});

test('messages: delivered in batches up to the batch size, and deleted afterwards', async () => {
  const sizes: number[] = [];
  await send('1', '2', '3', '4', '5');
  start(async ({ Records }) => void sizes.push(Records.length), 2);
  await until(() => sizes.reduce((sum, size) => sum + size, 0) === 5);
  expect(sizes).toEqual([2, 2, 1]);
  await until(isEmpty);
  await sleep(HIDDEN_S * 1000 + 300);
  expect(sizes).toHaveLength(3);
});

test('a message sent with DelaySeconds: delivered once they have passed', async () => {
  const seen: number[] = [];
  const sent = Date.now();
  const message = { QueueUrl: engine.queueUrl, MessageBody: 'later', DelaySeconds: 1 };
  await engine.sqs.send(new SendMessageCommand(message));
  start(async () => void seen.push(Date.now() - sent));
  await until(() => seen.length > 0);
  expect(seen[0]).toBeGreaterThanOrEqual(1000 - 50);
  expect(seen[0]).toBeLessThan(3000);
});

test('a batch with a failure: only that message comes again, after the visibility timeout', async () => {
  const calls: { at: number; bodies: string[] }[] = [];
  await send('good', 'bad');
  start(async (event) => {
    calls.push({ at: Date.now(), bodies: bodiesOf(event) });
    const failed = calls.length === 1 ? event.Records.filter(({ body }) => body === 'bad') : [];
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  await until(() => calls.length === 2);
  const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]];
  expect([first.bodies, second.bodies]).toEqual([['good', 'bad'], ['bad']]);
  expect(second.at - first.at).toBeGreaterThanOrEqual(HIDDEN_S * 1000 - 50);
});

test('a message that fails too often: moves to the dead-letter queue, without the others of its batch', async () => {
  const seen: string[] = [];
  await send('poison', 'sound');
  start(async (event) => {
    seen.push(...bodiesOf(event));
    const failed = event.Records.filter(({ body }) => body === 'poison');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  let letters: string[] = [];
  await until(async () => {
    letters = [...letters, ...(await deadLetters())];
    return letters.length > 0;
  });
  expect(letters).toEqual(['poison']);
  expect(seen.sort()).toEqual(['poison', 'poison', 'sound']);
});

test('a function that throws: the whole batch comes again, and the error is logged', async () => {
  const seen: string[][] = [];
  await send('a', 'b');
  logged.mockImplementation(() => {});
  start(async (event) => {
    seen.push(bodiesOf(event));
    if (seen.length === 1) throw new Error('boom');
    return undefined;
  });
  await until(() => seen.length === 2);
  expect(seen).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(logged).toHaveBeenCalledWith(`A batch of messages of ${ARN} failed:`, new Error('boom'));
});

test('more batches than the concurrency: the next function starts when one has ended', async () => {
  let now = 0;
  let most = 0;
  let done = 0;
  await send('1', '2', '3', '4', '5', '6');
  const invoke: Invoke = async () => {
    now += 1;
    most = Math.max(most, now);
    await sleep(100);
    now -= 1;
    done += 1;
    return undefined;
  };
  start(invoke, 1, 3);
  await until(() => done === 6);
  expect(most).toBe(3);
});

test('a queue that is not open yet: no message is received before it opens, and the poller can be stopped', async () => {
  const received: string[] = [];
  const invoke: Invoke = async ({ Records }) => void received.push(...Records.map(({ body }) => body));
  const { promise, resolve } = Promise.withResolvers<void>();
  start(invoke, 10, 10, promise);
  await send('a');
  await sleep(300);
  await running?.stop(3000);
  expect(received).toEqual([]);
  start(invoke, 10, 10, promise);
  resolve();
  while (received.length === 0) await sleep(10);
  expect(received).toEqual(['a']);
});

test('stopping: the running function ends, and no other message is received', async () => {
  const seen: string[] = [];
  start(async (event) => {
    seen.push(...bodiesOf(event));
    await sleep(300);
    seen.push('done');
    return undefined;
  });
  await send('last');
  await until(() => seen.length === 1);
  await running?.stop(3000);
  expect(seen).toEqual(['last', 'done']);
  expect(await isEmpty()).toBe(true);
  await send('late');
  await sleep(100);
  expect((await engine.receive()).map(({ Body }) => Body)).toEqual(['late']);
});

test('stopping with a function that does not end: returns after the grace period', async () => {
  const begun: number[] = [];
  await send('endless');
  start(async () => {
    begun.push(Date.now());
    return new Promise(() => {});
  });
  await until(() => begun.length === 1);
  const start_ = Date.now();
  await running?.stop(200);
  expect(Date.now() - start_).toBeLessThan(1000);
});

test.each([
  ['nothing', undefined, ['a', 'b']],
  ['null', null, ['a', 'b']],
  ['an empty object', {}, ['a', 'b']],
  ['a list that is null', { batchItemFailures: null }, ['a', 'b']],
  ['no failure', { batchItemFailures: [] }, ['a', 'b']],
  ['a failure', { batchItemFailures: [{ itemIdentifier: 'a' }] }, ['b']],
  ['an unknown message', { batchItemFailures: [{ itemIdentifier: 'c' }] }, []],
  ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, []],
  ['another key', { batchItemFailures: [{ id: 'a' }] }, []],
])('a function that returns %s: the messages that Lambda would delete are deleted', (_, answer, expected) => {
  const messages = ['a', 'b'].map((MessageId) => ({ MessageId }));
  expect(handledMessages(messages, answer as SQSBatchResponse).map(({ MessageId }) => MessageId)).toEqual(expected);
});
