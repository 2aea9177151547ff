import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';

/**
 * Has the SDK retry as often as in production, but almost at once: its waits (a second after a throttle) would be
 * all that a test with many faults does. Its budget for retries is full again, so that no earlier run shows.
 */
export const retryBriskly = async ({ config }: DynamoDBDocumentClient): Promise<void> => {
  const maxAttempts = await config.maxAttempts();
  const backoff = { setDelayBase: () => {}, computeNextBackoffDelay: () => 0 };
  const strategy = new StandardRetryStrategy({ maxAttempts, backoff, baseDelay: 0 });
  Object.assign(config, { retryStrategy: async () => strategy });
};
