import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';

/**
 * Makes the SDK retry as often as in production, but without its delays (a second after a throttle), in which a test
 * with many faults would spend most of its time. Each call refills the SDK's retry budget.
 */
export const retryWithoutDelay = async ({ config }: DynamoDBDocumentClient): Promise<void> => {
  const maxAttempts = await config.maxAttempts();
  const backoff = { setDelayBase: () => {}, computeNextBackoffDelay: () => 0 };
  const strategy = new StandardRetryStrategy({ maxAttempts, backoff, baseDelay: 0 });
  Object.assign(config, { retryStrategy: async () => strategy });
};
