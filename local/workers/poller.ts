import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handledMessages, sqsEvent } from './batch.ts';

interface EventSource {
  readonly url: string;
  readonly arn: string;
  readonly batch: number;
  readonly concurrency: number;
  /** The first poll waits for it. */
  readonly opening?: Promise<void> | undefined;
  invoke(event: SQSEvent): Promise<SQSBatchResponse | undefined>;
}

export interface RunningTask {
  /** Starts nothing more, and waits for running invocations, but at most this long. */
  stop(graceMs: number): Promise<void>;
}

/** Short, because some engines make a message invisible that arrives when its consumer has just disconnected. */
const WAIT_S = 1;
const RETRY_MS = 1000;

const receive = async (client: SQSClient, source: EventSource, abortSignal: AbortSignal): Promise<Message[]> => {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: source.url,
      MaxNumberOfMessages: source.batch,
      WaitTimeSeconds: WAIT_S,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
    { abortSignal },
  );
  return Messages;
};

const deleteMessages = async (client: SQSClient, { url }: EventSource, messages: readonly Message[]): Promise<void> => {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
};

const processBatch = async (
  client: SQSClient,
  source: EventSource,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<void> => {
  try {
    await deleteMessages(
      client,
      source,
      handledMessages(messages, await source.invoke(sqsEvent(messages, source.arn))),
    );
  } catch (error) {
    if (!signal.aborted) console.error(`A batch of messages of ${source.arn} failed:`, error);
  }
};

/**
 * Polls a queue as Lambda does: it deletes the messages that an invocation has processed. Other messages become visible
 * again after the visibility timeout, and SQS moves them to the dead-letter queue after too many receives.
 */
export const poll = (client: SQSClient, source: EventSource): RunningTask => {
  const batches = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const receiveBatch = async (): Promise<void> => {
    const messages = await receive(client, source, signal);
    if (messages.length === 0) return;
    const batch = processBatch(client, source, messages, signal).finally(() => batches.delete(batch));
    batches.add(batch);
  };

  const run = async (): Promise<void> => {
    await Promise.race([source.opening, aborted]);
    while (!signal.aborted) {
      if (batches.size < source.concurrency) await receiveBatch().catch(logAndWait);
      else await Promise.race([...batches, aborted]);
    }
  };

  const logAndWait = async (error: unknown): Promise<void> => {
    if (signal.aborted) return;
    console.error(`Cannot receive messages from ${source.url}; the next attempt follows in ${RETRY_MS} ms:`, error);
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
  };

  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const running = run();
  return {
    async stop(graceMs) {
      stopping.abort();
      await Promise.race([running.then(() => Promise.all(batches)), sleep(graceMs, undefined, { ref: false })]);
    },
  };
};
