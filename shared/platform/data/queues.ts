import type { Product } from '#shared/platform/product.ts';

/** A queue, as data: CDK deploys it, the local runtime creates it. */
export interface QueueDeclaration {
  /** The environment variable that holds the deployed queue's address. */
  readonly variable: string;
}

/** A message to be sent. */
export interface OutgoingMessage {
  readonly body: Product['message'];
  /** How long SQS hides it from its receivers, in milliseconds. */
  readonly delayMs?: number;
}

/** How often a message is given to a worker before it goes to the dead-letter queue. */
export const MAX_RECEIVE_COUNT = 5;

/**
 * How long a message that was received is hidden, in seconds, for a worker that may take so many: six times as long, as
 * Lambda's guide advises, so that a batch that waits for its turn does not come twice.
 */
export const visibilitySeconds = (seconds: number): number => 6 * seconds;
