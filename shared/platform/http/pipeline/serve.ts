import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import {
  DRY_RUN,
  type Endpoint,
  type Operation,
  type PublicContext,
  type PublicOperation,
} from '#shared/platform/http/endpoint.ts';
import { authenticate, authorize } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Limited, limit } from '#shared/platform/http/pipeline/steps/limit.ts';
import { checkBody, parseBody } from '#shared/platform/http/pipeline/steps/parse-body.ts';
import {
  type Binding,
  type Handler,
  type Received,
  type Steps,
  steps,
  type Versioned,
} from '#shared/platform/http/pipeline/steps/step.ts';
import { parameters, validate } from '#shared/platform/http/pipeline/steps/validate.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { parseTrace, runInvocation } from '#shared/platform/telemetry/invocation.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import type { Settings } from '#shared/vocabulary.ts';
import { type ExecuteDependencies, execute } from './execute.ts';
import { executePublic } from './execute-public.ts';
import { type FinishDependencies, finish } from './finish.ts';
import { isFault, toResponse } from './problem.ts';

export interface PipelineDependencies extends FinishDependencies, ExecuteDependencies {
  readonly verify: Verify;
  readonly settings: Settings;
}

interface PublicDependencies extends FinishDependencies, PublicContext {}

/** The steps in the order of checks (§5, CONTRACT §2). Each step reads what earlier steps have added to the request. */
export const operationSteps = () =>
  steps<Versioned, Operation, PipelineDependencies>()
    .next(authenticate)
    .next(limit)
    .next(authorize)
    .next(checkBody)
    .next(parseBody)
    .next(parameters)
    .next(validate);

export type LambdaHandler = (event: GatewayEvent, context: Context) => Promise<GatewayResult>;

export const serve = (endpoint: Operation, dependencies: PipelineDependencies): LambdaHandler =>
  pipeline(operationSteps(), execute, { ...dependencies, endpoint });

export const servePublic = (endpoint: PublicOperation, dependencies: PublicDependencies): LambdaHandler =>
  pipeline(steps<Received, PublicOperation, PublicDependencies>(), executePublic, { ...dependencies, endpoint });

/** Responds before Lambda's timeout; the outcome of the handler is then unknown. */
export const timeLimit = {
  name: 'timeLimit',
  refuses: ['unavailable'] as const,
  marginMs: 300,
  respond: () => {
    throw new ProblemError('unavailable', { detail: 'The request was not completed in time.' });
  },
};

/** Middy runs the steps, then the handler; each response, and the problem of any error, passes {@link finish}. */
export const pipeline = <R extends Received, E extends Endpoint, D extends FinishDependencies>(
  { list }: Steps<R, E, D>,
  { handle }: Pick<Handler<R, E, D>, 'handle'>,
  binding: Binding<E, D>,
): LambdaHandler => {
  const { endpoint, telemetry } = binding;
  const middlewares = list.flatMap((step) => {
    if ('middleware' in step) return step.middleware(endpoint) ?? [];
    return { before: async ({ event }: { event: R }) => void Object.assign(event, await step.run(event, binding)) };
  });
  const { marginMs: timeoutEarlyInMillis, respond: timeoutEarlyResponse } = timeLimit;
  const handler = middy<R, GatewayResult>({ timeoutEarlyInMillis, timeoutEarlyResponse })
    .use(middlewares)
    .after(({ event: request, response }) => {
      if (response) finish.run({ request, response, error: undefined }, binding);
    })
    .onError(async (failed) => {
      const request: R & Partial<Limited> = failed.event;
      // The 429 of the account precedes other problems (CONTRACT §2).
      const error = (await request.refusal) ?? failed.error;
      if (isFault(error)) {
        const { requestId, routeKey } = request;
        telemetry.fault('request failed', error as Error, { request_id: requestId, route: routeKey });
      }
      const response = toResponse(error, request, endpoint);
      finish.run({ request, response, error }, binding);
      failed.response = response;
    })
    .handler((request, context) => handle(request, binding, context));
  return (event, context) => {
    const request = receive(event, context, endpoint);
    const { traceparent, tracestate } = request.headers;
    // The steps add the rest of R.
    return runInvocation(() => handler(request as R, context), parseTrace(traceparent, tracestate));
  };
};

/** Values that the pipeline itself reads, for the log and for messages to workers. */
export const trace = { name: 'trace', reads: ['traceparent', 'tracestate'] as const };

/** Normalizes the event of the gateway. */
export const receive = (event: GatewayEvent, context: Context, endpoint: Endpoint): Received => {
  const [, version] = event.rawPath.split('/');
  const headers = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const isWrite = 'isWrite' in endpoint && endpoint.isWrite;
  return {
    ...event,
    headers: Object.fromEntries(headers),
    method: event.requestContext.http.method.toUpperCase(),
    requestId: context.awsRequestId,
    apiVersion: VERSIONS.find((one) => one === version),
    isDryRun: isWrite && new URLSearchParams(event.rawQueryString).getAll(DRY_RUN).includes('true'),
    logged: {},
  };
};
