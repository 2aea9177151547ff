import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handledMessages, sqsEvent } from './batch.ts';

/** A queue as the source of a function's events. */
export interface EventSource {
  readonly url: string;
  readonly arn: string;
  /** The most messages of one event. */
  readonly batch: number;
  /** The most invocations at once. */
  readonly concurrency: number;
  /** Invokes the function; it throws what the function does. */
  invoke(event: SQSEvent): Promise<SQSBatchResponse | undefined>;
}

/** What runs until it is stopped. */
export interface Running {
  /** Begins nothing more, and waits for what is under way, but no longer than so many milliseconds. */
  stop(graceMs: number): Promise<void>;
}

/** Some engines hide a message that comes in just as its receiver has ended: nobody waits for long. */
const WAIT_S = 1;
const AGAIN_MS = 1000;

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

const drop = async (client: SQSClient, { url }: EventSource, messages: readonly Message[]): Promise<void> => {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
};

/** Invokes the function for a batch, and deletes the messages that it has processed. */
const work = async (
  client: SQSClient,
  source: EventSource,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<void> => {
  try {
    await drop(client, source, handledMessages(messages, await source.invoke(sqsEvent(messages, source.arn))));
  } catch (error) {
    if (!signal.aborted) console.error(`A batch of ${source.arn} failed:`, error);
  }
};

/**
 * Polls a queue as Lambda does: what an invocation has dealt with is deleted; what has failed comes again when its
 * visibility timeout is over, and goes to the dead-letter queue when it has come too often, which SQS sees to.
 */
export const poll = (client: SQSClient, source: EventSource): Running => {
  const busy = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const begin = async (): Promise<void> => {
    const messages = await receive(client, source, signal);
    if (messages.length === 0) return;
    const begun = work(client, source, messages, signal).finally(() => busy.delete(begun));
    busy.add(begun);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      if (busy.size < source.concurrency) await begin().catch(waitAfter);
      else await Promise.race([...busy, aborted]);
    }
  };

  const waitAfter = async (error: unknown): Promise<void> => {
    if (signal.aborted) return;
    console.error(`Nothing can be received from ${source.url}:`, error);
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
  };

  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const running = run();
  return {
    async stop(graceMs) {
      stopping.abort();
      await Promise.race([running.then(() => Promise.all(busy)), sleep(graceMs, undefined, { ref: false })]);
    },
  };
};
