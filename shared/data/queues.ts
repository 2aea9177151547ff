/** The queues, as data: CDK deploys them, the local runtime creates them. */
export interface Queue {
  /** The environment variable that holds the deployed queue's address. */
  readonly variable: string;
}

export const queues = {
  exports: { variable: 'EXPORTS_QUEUE_URL' },
} as const satisfies Record<string, Queue>;

export type QueueName = keyof typeof queues;

/** The environment variable that holds the name of the bucket in which the accounts' files are. */
export const BUCKET_VARIABLE = 'EXPORTS_BUCKET';

/** What a queue's message says: which job of which account there is to do. */
export interface Message {
  readonly account_id: string;
  readonly export_id: number;
}

/** A message to be sent. */
export interface OutgoingMessage {
  readonly body: Message;
  /** How long SQS hides it from its receivers, in milliseconds. */
  readonly delayMs?: number;
}

/** How often a message is given to a worker before it goes to the dead-letter queue. */
export const RECEIVES = 5;

/**
 * How long a message that was received is hidden, in seconds, for a worker that may take so many: six times as long, as
 * Lambda's guide advises, so that a batch that waits for its turn does not come twice.
 */
export const visibilitySeconds = (seconds: number): number => 6 * seconds;
