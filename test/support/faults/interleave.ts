import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Runs a request, and runs `competing` between its reads and its commit.
 * @throws Error when the request committed nothing
 */
export type Interleave = <T>(competing: () => Promise<unknown>, request: () => Promise<T>) => Promise<T>;

const WRITE = /^(Put|Update|Delete|TransactWrite)/;

/** Creates deterministic races: the next write of the client waits for the competing work. */
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
    const response = await request();
    if (waiting.pop()) throw new Error('The request committed nothing, so there was no race.');
    return response;
  };
};

/** Runs a request, and runs `competing` before AWS call `number` of the request, if the request makes that many. */
export type Interrupt = <T>(
  number: number,
  competing: () => Promise<unknown>,
  request: () => Promise<T>,
) => Promise<{ response: T; isInterrupted: boolean }>;

/** Creates a race before any AWS call of a request, including a read. */
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
    const response = await request();
    planned = undefined;
    return { response, isInterrupted: calls >= number };
  };
};
