import { setImmediate as nextTask } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handledMessages } from '#local/workers/batch.ts';
import { poll, type RunningTask } from '#local/workers/poller.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { until } from '#test/support/waiting/until.ts';

/** Far longer than a test: a message comes again only when the test makes it visible. */
const HIDDEN_S = 3600;
/** A grace period that does not end. */
const FOREVER_MS = 2 ** 31 - 1;
const RECEIVES = 2;
const ARN = 'arn:aws:sqs:local:000000000000:exports';

let running: RunningTask | undefined;
/** Each test's own, because the engine may give a message to a poller of an earlier test that has just stopped. */
let queueUrl: string;
let queues = 0;
/** The requests for messages of the queue. */
let receives = 0;
const logged = jest.spyOn(console, 'error');

type Attribute = 'QueueArn' | 'ApproximateNumberOfMessages' | 'ApproximateNumberOfMessagesNotVisible';
const attribute = async (url: string, name: Attribute) => {
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
engine.sqs.middlewareStack.add(
  (next, { commandName }) =>
    (call) => {
      const { QueueUrl } = call.input as { QueueUrl?: string };
      if (commandName === 'ReceiveMessageCommand' && QueueUrl === queueUrl) receives += 1;
      return next(call);
    },
  { step: 'initialize', name: 'receives' },
);
afterAll(() => engine.stop());
beforeEach(async () => {
  receives = 0;
  logged.mockReset();
  queues += 1;
  const QueueName = `${engine.bucket}-${queues}`;
  const { QueueUrl } = await engine.sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  queueUrl = QueueUrl as string;
});
afterEach(async () => {
  await running?.stop(3000);
  running = undefined;
});

const send = async (...bodies: readonly string[]): Promise<void> => {
  for (const MessageBody of bodies) {
    await engine.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
  }
};

type Invoke = (event: SQSEvent) => Promise<SQSBatchResponse | undefined>;

const start = (invoke: Invoke, batch = 10, concurrency = 10, opening?: Promise<void>): void => {
  running = poll(engine.sqs, { url: queueUrl, arn: ARN, batch, concurrency, invoke, opening });
};

const bodiesOf = ({ Records }: SQSEvent): string[] => Records.map(({ body }) => body);

/** The numbers of visible and of hidden messages. */
const left = async (): Promise<string[]> => [
  await attribute(queueUrl, 'ApproximateNumberOfMessages'),
  await attribute(queueUrl, 'ApproximateNumberOfMessagesNotVisible'),
];

/** Waits until the poller has deleted all messages but these. */
const untilOnlyHidden = (hidden: number) => until(async () => (await left()).join() === `0,${hidden}`);

/** Ends the visibility timeout of the messages of an event. */
const makeVisible = async ({ Records }: SQSEvent): Promise<void> => {
  for (const { receiptHandle: ReceiptHandle } of Records) {
    const change = { QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await engine.sqs.send(new ChangeMessageVisibilityCommand(change));
  }
};

const deadLetters = async (): Promise<string[]> => {
  const { Messages = [] } = await engine.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: dead, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body }) => Body as string);
};

test('a message that fails too often: moves to the dead-letter queue, without the others of its batch', async () => {
  const events: SQSEvent[] = [];
  await send('poison', 'sound');
  start(async (event) => {
    events.push(event);
    const failed = event.Records.filter(({ body }) => body === 'poison');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  for (let receive = 1; receive <= RECEIVES; receive += 1) {
    await until(() => events.length === receive);
    await untilOnlyHidden(1);
    await makeVisible({ Records: events.at(-1)?.Records.filter(({ body }) => body === 'poison') ?? [] });
  }
  const letters: string[] = [];
  await until(async () => letters.push(...(await deadLetters())) > 0);
  expect(letters).toEqual(['poison']);
  expect(events.map(bodiesOf)).toEqual([['poison', 'sound'], ['poison']]);
});

test('a function that throws: the whole batch comes again, and the error is logged', async () => {
  const events: SQSEvent[] = [];
  await send('a', 'b');
  logged.mockImplementation(() => {});
  start(async (event) => {
    events.push(event);
    if (events.length === 1) throw new Error('boom');
    return undefined;
  });
  await until(() => logged.mock.calls.length > 0);
  await makeVisible(events[0] as SQSEvent);
  const again = () => events.slice(1).flatMap(bodiesOf);
  await until(() => again().length === 2);
  expect([events.slice(0, 1).flatMap(bodiesOf), again()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(logged.mock.calls).toEqual([[`A batch of messages of ${ARN} failed:`, new Error('boom')]]);
});

test('more batches than the concurrency: the next function starts when one has ended', async () => {
  const ends: (() => void)[] = [];
  await send('1', '2', '3', '4', '5', '6');
  const invoke: Invoke = () => new Promise((resolve) => ends.push(() => resolve(undefined)));
  start(invoke, 1, 3);
  for (let begun = 3; begun <= 6; begun += 1) {
    await until(() => ends.length === begun);
    // With a free place, the poller would request the next message at once.
    await nextTask();
    expect(receives).toBe(begun);
    ends[begun - 3]?.();
  }
  for (const end of ends) end();
});

test('a queue that is not open yet: no message is received before it opens, and the poller can be stopped', async () => {
  const received: string[] = [];
  const invoke: Invoke = async ({ Records }) => void received.push(...Records.map(({ body }) => body));
  const { promise, resolve } = Promise.withResolvers<void>();
  start(invoke, 10, 10, promise);
  await send('a');
  await running?.stop(FOREVER_MS);
  expect(receives).toBe(0);
  start(invoke, 10, 10, promise);
  resolve();
  await until(() => received.length > 0);
  expect(received).toEqual(['a']);
});

test('stopping: the running function ends, and no other message is received', async () => {
  const seen: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  start(async (event) => {
    seen.push(...bodiesOf(event));
    await promise;
    seen.push('done');
    return undefined;
  });
  await send('last');
  await until(() => seen.length === 1);
  const stopped = running?.stop(FOREVER_MS);
  const before = receives;
  resolve();
  await stopped;
  expect(seen).toEqual(['last', 'done']);
  expect(await left()).toEqual(['0', '0']);
  await send('late');
  expect([receives, seen]).toEqual([before, ['last', 'done']]);
});

test('stopping with a function that does not end: returns after the grace period', async () => {
  const begun: SQSEvent[] = [];
  await send('endless');
  start((event) => {
    begun.push(event);
    return new Promise(() => {});
  });
  await until(() => begun.length === 1);
  await running?.stop(200);
  running = undefined;
});

test.each([
  ['nothing', undefined, ['a', 'b']],
  ['no failure', { batchItemFailures: [] }, ['a', 'b']],
  ['a failure', { batchItemFailures: [{ itemIdentifier: 'a' }] }, ['b']],
  ['an unknown message', { batchItemFailures: [{ itemIdentifier: 'c' }] }, []],
])('a function that returns %s: the messages that Lambda would delete are deleted', (_, answer, expected) => {
  const messages = ['a', 'b'].map((MessageId) => ({ MessageId }));
  expect(handledMessages(messages, answer as SQSBatchResponse).map(({ MessageId }) => MessageId)).toEqual(expected);
});
