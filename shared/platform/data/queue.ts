import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { OutgoingMessage } from '#shared/platform/data/queues.ts';
import { invocation } from '#shared/platform/telemetry/invocation.ts';
import type { Trace } from '#shared/platform/telemetry/trace.ts';
import { clientOptions } from './client-options.ts';

/** The trace of whoever sends, so that it goes on with whoever receives (W3C Trace Context). */
const attributesOf = (trace: Trace | undefined) =>
  trace &&
  Object.fromEntries(Object.entries(trace).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]));

/** One queue. What it is told may come twice, late or never: whoever reads it bears that. */
export class Queue {
  readonly #client: SQSClient;
  readonly #url: string;

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** @param deadline in epoch milliseconds */
  async send({ body, delayMs = 0 }: OutgoingMessage, deadline: number): Promise<void> {
    const MessageAttributes = attributesOf(invocation()?.trace);
    const input = {
      QueueUrl: this.#url,
      MessageBody: JSON.stringify(body),
      ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1000) }),
      ...(MessageAttributes && { MessageAttributes }),
    };
    const command = new SendMessageCommand(input);
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) });
  }

  /** Has a message that was received come again after so many seconds, should it not be deleted. */
  async delay(receipt: string, seconds: number): Promise<void> {
    const input = { QueueUrl: this.#url, ReceiptHandle: receipt, VisibilityTimeout: seconds };
    await this.#client.send(new ChangeMessageVisibilityCommand(input));
  }
}

/** The SQS client. */
export const sqs = (): SQSClient => new SQSClient(clientOptions());
