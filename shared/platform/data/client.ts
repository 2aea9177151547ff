import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { Refusal } from '#shared/platform/problem.ts';
import { clientOptions } from './client-options.ts';
import { measure } from './usage.ts';

const ABORTED = 'AbortError';
const OVERLOADED = 'The database did not respond in time.';

/** Whether a later attempt may succeed; the outcome of the failed one is unknown. */
const isPassing = (error: unknown): boolean => {
  const fault = error as Parameters<typeof isTransientError>[0];
  return fault.name === ABORTED || isTransientError(fault) || isThrottlingError(fault) || isServerError(fault);
};

/** The SDK makes a signer for each request; a client signs for one service in one region, so that one signer will do. */
const signOnce = ({ config }: DynamoDBDocumentClient): void => {
  const { signer } = config;
  let made: ReturnType<typeof signer> | undefined;
  config.signer = (scheme) => {
    made ??= signer(scheme);
    return made;
  };
};

/** The DynamoDB document client, which throws every passing fault as `unavailable`. */
export const dynamo = (): DynamoDBDocumentClient => {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient(clientOptions()),
    // A client's metadata may have a key `constructor`, which the marshaller takes for a class instance's.
    { marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true } },
  );
  signOnce(client);
  // It renders every call's input and output for a logger, also without one: 2 % of a call's CPU.
  if (!client.middlewareStack.remove('loggerMiddleware')) throw new Error('The SDK has no logger to remove any more.');
  client.middlewareStack.add(
    (next) => async (call) => {
      try {
        return await next(call);
      } catch (cause) {
        if (isPassing(cause)) throw Object.assign(new Refusal('unavailable', { detail: OVERLOADED }), { cause });
        throw cause;
      }
    },
    { step: 'initialize', name: 'passingFaults' },
  );
  measure(client);
  return client;
};
