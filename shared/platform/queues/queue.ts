import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientOptions } from '#shared/platform/dynamodb/client-options.ts';
import { currentInvocation, type Trace } from '#shared/platform/telemetry/invocation.ts';
import type { OutgoingMessage } from './queues.ts';

/** One queue. A message may arrive twice, late or never; receivers must tolerate that. */
export class Queue {
  readonly #client: SQSClient;
  readonly #url: string;

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** @param deadline in epoch milliseconds */
  async send({ body, delayMs = 0 }: OutgoingMessage, deadline: number): Promise<void> {
    const MessageAttributes = toMessageAttributes(currentInvocation()?.trace);
    const input = {
      QueueUrl: this.#url,
      MessageBody: JSON.stringify(body),
      // SQS then delivers fairly, also in a standard queue: one account's messages do not delay other accounts'
      // messages.
      MessageGroupId: body.account_id,
      ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1000) }),
      ...(MessageAttributes && { MessageAttributes }),
    };
    const command = new SendMessageCommand(input);
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) });
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
