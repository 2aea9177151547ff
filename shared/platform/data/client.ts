import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import { clientOptions } from './client-options.ts';
import { trackCapacity } from './usage.ts';

/** Where a store reads: the deployed names of the tables, and the client. */
export interface DynamoContext {
  readonly client: DynamoDBDocumentClient;
  /** The deployed names of the tables. */
  readonly tableNames: Readonly<Record<Product['table'], string>>;
  /** The name of the bucket that holds the accounts' files, for what reaches them. */
  readonly bucket?: string;
}

/** The DynamoDB document client, which throws every passing fault as `unavailable`. */
export const dynamo = (): DynamoDBDocumentClient => {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient(clientOptions()),
    // A client's metadata may have a key `constructor`, which the marshaller takes for a class instance's.
    { marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true } },
  );
  client.middlewareStack.add(
    (next) => async (call) => {
      try {
        return await next(call);
      } catch (cause) {
        if (isTransient(cause)) throw Object.assign(new ProblemError('unavailable', { detail: OVERLOADED }), { cause });
        throw cause;
      }
    },
    { step: 'initialize', name: 'passingFaults' },
  );
  trackCapacity(client);
  return client;
};

const BASE_MS = 20;
const MOST_MS = 1000;

/** Waits before the given attempt (from 1): exponential, with full jitter. */
export const backoff = (attempt: number): Promise<void> =>
  sleep(Math.random() * Math.min(MOST_MS, BASE_MS * 2 ** attempt));

const ABORTED = 'AbortError';
const OVERLOADED = 'The database did not respond in time.';

/** Whether a later attempt may succeed; the outcome of the failed one is unknown. */
const isTransient = (error: unknown): boolean => {
  const fault = error as Parameters<typeof isTransientError>[0];
  return fault.name === ABORTED || isTransientError(fault) || isThrottlingError(fault) || isServerError(fault);
};
