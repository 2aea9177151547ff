import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Runs a request, and lets something else happen between what its handler has read and what it commits.
 * @throws Error when the request committed nothing, so that nothing came between
 */
export type Interleave = <T>(competing: () => Promise<unknown>, request: () => Promise<T>) => Promise<T>;

const WRITE = /^(Put|Update|Delete|TransactWrite)/;

/** Makes races of a client's requests, which then come out the same every time: the next write waits for a rival. */
export const interleave = (client: DynamoDBDocumentClient): Interleave => {
  const waiting: (() => Promise<unknown>)[] = [];
  client.middlewareStack.add(
    (next, context) => async (call) => {
      if (WRITE.test(String(context.commandName))) await waiting.shift()?.();
      return next(call);
    },
    { step: 'initialize', priority: 'high', name: 'interleave' },
  );
  return async (competing, request) => {
    waiting.push(competing);
    const answer = await request();
    if (waiting.pop()) throw new Error('The request has committed nothing: there was no race.');
    return answer;
  };
};
