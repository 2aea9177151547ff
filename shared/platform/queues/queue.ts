import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { clientOptions } from '#shared/platform/dynamodb/client-options.ts';
import { currentInvocation, type Trace } from '#shared/platform/telemetry/invocation.ts';
import type { OutgoingMessage } from './queues.ts';

/** SQS accepts this number of messages in a request. */
const MAX_ENTRIES = 10;

/** A message of the next request. */
interface Waiting {
  readonly entry: Omit<SendMessageBatchRequestEntry, 'Id'>;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One queue. A message may arrive twice, late or never; receivers must tolerate all three. Messages that are sent at the
 * same time share requests.
 */
export class Queue {
  readonly #client: SQSClient;
  readonly #url: string;
  #waiting: Waiting[] = [];

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** @param deadline in epoch milliseconds */
  send({ body, delayMs = 0 }: OutgoingMessage, deadline: number): Promise<void> {
    const MessageAttributes = toMessageAttributes(currentInvocation()?.trace);
    const entry = {
      MessageBody: JSON.stringify(body),
      // SQS then delivers fairly, also in a standard queue: one account's messages do not delay other accounts'
      // messages.
      MessageGroupId: body.account_id,
      ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1000) }),
      ...(MessageAttributes && { MessageAttributes }),
    };
    if (this.#waiting.length === 0) queueMicrotask(() => this.#sendWaiting());
    return new Promise((resolve, reject) => this.#waiting.push({ entry, deadline, resolve, reject }));
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const batch of batchesOf(waiting, MAX_ENTRIES))
      this.#sendBatch(batch).catch((error) => {
        for (const { reject } of batch) reject(error);
      });
  }

  async #sendBatch(batch: readonly Waiting[]): Promise<void> {
    const Entries = batch.map(({ entry }, i) => ({ Id: String(i), ...entry }));
    const deadline = batch.reduce((latest, one) => Math.max(latest, one.deadline), 0);
    const command = new SendMessageBatchCommand({ QueueUrl: this.#url, Entries });
    const { Failed = [] } = await this.#client.send(command, {
      abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())),
    });
    const failures = new Map(Failed.map(({ Id, Code, Message }) => [Id, `${Code}: ${Message}`]));
    for (const [i, { resolve, reject }] of batch.entries()) {
      const failure = failures.get(String(i));
      if (failure === undefined) resolve();
      else reject(new Error(`SQS did not accept a message: ${failure}`));
    }
  }

  /** Hides a received message for `seconds`; unless it is deleted, it is delivered again then. */
  async delay(receipt: string, seconds: number): Promise<void> {
    const input = { QueueUrl: this.#url, ReceiptHandle: receipt, VisibilityTimeout: seconds };
    await this.#client.send(new ChangeMessageVisibilityCommand(input));
  }
}

export const createSqsClient = (): SQSClient => new SQSClient(clientOptions());

/** Passes the sender's trace to the receiver (W3C Trace Context). */
const toMessageAttributes = (trace: Trace | undefined) =>
  trace &&
  Object.fromEntries(Object.entries(trace).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]));
