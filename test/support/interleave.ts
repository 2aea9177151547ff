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

/**
 * Runs a request, and lets something else happen just before the request's nth AWS call.
 * @returns the answer, and whether the request came to that call
 */
export type Interrupt = <T>(
  number: number,
  competing: () => Promise<unknown>,
  request: () => Promise<T>,
) => Promise<{ answer: T; isInterrupted: boolean }>;

/** Makes a race at each AWS call of a request, reads included. */
export const interrupt = (client: DynamoDBDocumentClient): Interrupt => {
  let planned: { number: number; competing: () => Promise<unknown> } | undefined;
  let calls = 0;
  let isCompeting = false;
  client.middlewareStack.add(
    (next) => async (call) => {
      if (isCompeting) return next(call);
      calls += 1;
      if (calls === planned?.number) {
        isCompeting = true;
        await planned.competing().finally(() => {
          isCompeting = false;
        });
      }
      return next(call);
    },
    { step: 'initialize', priority: 'high', name: 'interrupt' },
  );
  return async (number, competing, request) => {
    planned = { number, competing };
    calls = 0;
    const answer = await request();
    planned = undefined;
    return { answer, isInterrupted: calls >= number };
  };
};
