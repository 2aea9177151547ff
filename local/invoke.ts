import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/http/exchange.ts';
import type { LambdaHandler } from '#shared/http/serve.ts';

/** A Lambda function: its name, and its handler, loaded when it is first called. */
export interface LambdaFunction {
  readonly name: string;
  load(): Promise<LambdaHandler>;
}

/** As deployed. */
const TIMEOUT_MS = 15_000;
const MEMORY_MB = 1024;

/** What the gateway answers for a function that failed. */
export const FAILED: GatewayResult = {
  statusCode: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Internal Server Error' }),
};

const contextOf = (functionName: string, timeoutMs: number): Context => {
  const deadline = Date.now() + timeoutMs;
  const context = {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: String(MEMORY_MB),
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  } satisfies Omit<Context, 'done' | 'fail' | 'succeed'>;
  // Node 24's runtime has none of the three old ways to end an invocation.
  return context as unknown as Context;
};

const timeout = async (milliseconds: number, signal: AbortSignal): Promise<never> => {
  await sleep(milliseconds, undefined, { signal, ref: false });
  throw new Error(`The function timed out after ${milliseconds} ms.`);
};

/** Invokes a function as Lambda does; one that throws, or takes too long, is logged and answered by the gateway. */
export const invoke = async (
  { name, load }: LambdaFunction,
  event: GatewayEvent,
  timeoutMs = TIMEOUT_MS,
): Promise<GatewayResult> => {
  const answered = new AbortController();
  try {
    const handler = await load();
    return await Promise.race([handler(event, contextOf(name, timeoutMs)), timeout(timeoutMs, answered.signal)]);
  } catch (error) {
    console.error(`${name} failed:`, error);
    return FAILED;
  } finally {
    answered.abort();
  }
};
