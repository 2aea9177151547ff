import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import { MAX_DEAD_LETTERS, SERVER_ERRORS } from '#infra/monitoring/alarms.ts';
import { handledMessages, sqsEvent } from '#local/workers/batch.ts';
import { openQueue } from '#local/workers/queues.ts';
import { isConsumer } from '#shared/platform/declarations/worker.ts';
import { MAX_RECEIVE_COUNT } from '#shared/platform/queues/queues.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { startWorkers } from '#test/support/service/workers.ts';

/*
 * The alarms whose metrics AWS counts. Four have no scenario: oldest-exports-message, oldest-deliveries-message,
 * slow-answers and lambda-throttles measure AWS itself.
 */

const REQUESTS = 100;

const { service, queue, run, stop } = await startWorkers();
const faults = injectFaults(service.client);
afterAll(stop);

/** The value of the metric, from the formula of the alarm. */
const percentage = (errors: number, requests: number): number =>
  new Function('IF', 'errors', 'requests', `return ${SERVER_ERRORS.expression}`)(
    (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    errors,
    requests,
  );

test.each([
  [4, false],
  [5, true],
])('%d requests of a hundred that fail: server-errors fires: %s', async (failing, fires) => {
  const { send } = makers(service, { account: newAccount() });
  faults.plan(({ number }) => (number <= failing ? 'crash-before' : undefined));
  const statuses: number[] = [];
  for (let i = 0; i < REQUESTS; i++) statuses.push((await send('GET', '/v1/customers/1')).status);
  const errors = statuses.filter((status) => status >= 500).length;
  expect([errors, percentage(errors, REQUESTS) > SERVER_ERRORS.threshold]).toEqual([failing, fires]);
});

const CONSUMERS = Object.entries(workers).flatMap(([file, worker]) => (isConsumer(worker) ? [{ file, worker }] : []));

const openWithDeadLetters = async (seconds: number) => {
  const limits = { seconds, memory_mb: 128 };
  const options = { variable: 'QUEUE_URL', name: `queue-${randomUUID()}`, limits, isEmbedded: true };
  return openQueue({ AWS_ENDPOINT_URL_SQS: queue.endpoint }, options);
};

/** Receives the messages of a queue, hands them to its worker, and makes failed messages visible again at once. */
const deliver = async (file: string, { url, arn }: { readonly url: string; readonly arn: string }): Promise<void> => {
  const { Messages = [] } = await queue.sqs.send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  if (Messages.length === 0) return;
  const handled = handledMessages(Messages, await run<SQSBatchResponse>(file, sqsEvent(Messages, arn)));
  const change = ({ ReceiptHandle }: Message, VisibilityTimeout: number) =>
    queue.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout }));
  await Promise.all(Messages.filter((message) => !handled.includes(message)).map((message) => change(message, 0)));
};

const deadLetters = async ({ url }: { readonly url: string }): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const options = { QueueUrl: `${url}-dead`, AttributeNames };
  const { Attributes } = await queue.sqs.send(new GetQueueAttributesCommand(options));
  return Number(Attributes?.['ApproximateNumberOfMessages']);
};

test.each(CONSUMERS)(
  'a message that $file cannot read: in the dead-letter queue after the last delivery, as the alarm reports; a message that it can read: never there',
  async ({ file, worker }) => {
    const opened = await openWithDeadLetters(worker.seconds);
    const forged = { account_id: newAccount(), export_id: 1, webhook_endpoint_id: 1 };
    const counts: number[] = [];
    for (const MessageBody of [JSON.stringify(forged), '{}']) {
      await queue.sqs.send(new SendMessageCommand({ QueueUrl: opened.url, MessageBody }));
      // SQS moves a message when it would deliver it once more.
      for (let i = 0; i <= MAX_RECEIVE_COUNT; i++) await deliver(file, opened);
      counts.push(await deadLetters(opened));
    }
    expect(counts).toEqual([MAX_DEAD_LETTERS, MAX_DEAD_LETTERS + 1]);
  },
);
