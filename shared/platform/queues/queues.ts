import type { Message } from '#shared/vocabulary.ts';

export interface OutgoingMessage {
  readonly body: Message;
  readonly delayMs?: number;
}

/** The longest time for which SQS hides a message. After a longer pause, the reconciler sends the message. */
export const MAX_MESSAGE_DELAY_MS = 900_000;

/** The number of deliveries before a message moves to the dead-letter queue. */
export const MAX_RECEIVE_COUNT = 5;

/** Lambda's guide recommends six times the function's timeout, so that a throttled batch is not delivered twice. */
export const visibilitySeconds = (timeoutSeconds: number): number => 6 * timeoutSeconds;
