import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaLimits } from '#shared/runtime/defaults.ts';
import { checkEvent, checkResult } from './payload.ts';

/** A Lambda function, whose handler is loaded at the first call. */
export interface LambdaFunction<E = GatewayEvent, R = GatewayResult> {
  readonly name: string;
  readonly limits: LambdaLimits;
  load(): Promise<(event: E, context: Context) => Promise<R>>;
}

export interface Invocation {
  /** Milliseconds until the function's deadline, as its context states. By default its timeout, which a longer time extends. */
  readonly remaining?: number;
  /** Ends the pauses of a worker (shared/platform/declarations/worker.ts). */
  readonly stop?: AbortSignal;
}

export const lambdaContext = (
  functionName: string,
  { seconds, memory_mb }: LambdaLimits,
  { remaining = seconds * 1000, stop }: Invocation = {},
): Context => {
  const deadline = Date.now() + remaining;
  const context = {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: String(memory_mb),
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    ...(stop && { stop }),
  } satisfies Omit<Context, 'done' | 'fail' | 'succeed'>;
  // Node 24's runtime does not have the three deprecated callbacks.
  return context as Context;
};

const timeout = async (ms: number, signal: AbortSignal): Promise<never> => {
  await sleep(ms, undefined, { signal, ref: false });
  throw new Error(`The function timed out after ${ms / 1000} s.`);
};

/**
 * Invokes a function as Lambda does, except that it does not stop a function that times out.
 * @throws the function's error; Error if it times out, or if Lambda would reject the event or the result
 */
export const invoke = async <E, R>(
  { name, limits, load }: LambdaFunction<E, R>,
  event: E,
  invocation?: Invocation,
): Promise<R> => {
  checkEvent(event);
  const finished = new AbortController();
  try {
    const handler = await load();
    const running = handler(event, lambdaContext(name, limits, invocation));
    const timeoutMs = Math.max(limits.seconds * 1000, invocation?.remaining ?? 0);
    return checkResult(await Promise.race([running, timeout(timeoutMs, finished.signal)]));
  } finally {
    finished.abort();
  }
};
