import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { LambdaLimits } from '#shared/platform/lambda/defaults.ts';
import type { RoutedRequest } from './event.ts';
import { checkEvent, checkResult } from './payload.ts';

/** A Lambda function, its handler loaded when it is first called. */
export interface LambdaFunction<E = GatewayEvent, R = GatewayResult> {
  readonly name: string;
  readonly limits: LambdaLimits;
  load(): Promise<(event: E, context: Context) => Promise<R>>;
}

/** The function that a request goes to, and by which route. */
export interface Destination extends RoutedRequest {
  readonly lambda: LambdaFunction;
}

/** Finds a request's destination by its method and its path, nothing of it decoded. */
export type Router = (method: string, path: string) => Destination | Promise<Destination>;

/** The context of an invocation that begins now. */
export const lambdaContext = (functionName: string, { seconds, memory_mb }: LambdaLimits): Context => {
  const deadline = Date.now() + seconds * 1000;
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
  } satisfies Omit<Context, 'done' | 'fail' | 'succeed'>;
  // Node 24's runtime has none of the three old ways to end an invocation.
  return context as Context;
};

const timeout = async (seconds: number, signal: AbortSignal): Promise<never> => {
  await sleep(seconds * 1000, undefined, { signal, ref: false });
  throw new Error(`The function timed out after ${seconds} s.`);
};

/**
 * Invokes a function as Lambda does, but for one thing: of a function that takes too long nothing is ended here.
 * @throws what the function throws; Error when it takes too long, or when Lambda would refuse the event or the result
 */
export const invoke = async <E, R>({ name, limits, load }: LambdaFunction<E, R>, event: E): Promise<R> => {
  checkEvent(event);
  const answered = new AbortController();
  try {
    const handler = await load();
    const ran = handler(event, lambdaContext(name, limits));
    return checkResult(await Promise.race([ran, timeout(limits.seconds, answered.signal)]));
  } finally {
    answered.abort();
  }
};
