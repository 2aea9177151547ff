import middy, { type MiddlewareObj, type Request as MiddyRequest } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import type { Endpoint, Operation, PublicContext, PublicOperation } from '#shared/platform/http/endpoint.ts';
import type { Origins } from '#shared/platform/http/origins.ts';
import { authenticate, authorize } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { cors } from '#shared/platform/http/pipeline/steps/cors.ts';
import { limit } from '#shared/platform/http/pipeline/steps/limit.ts';
import { dryRun, parameters } from '#shared/platform/http/pipeline/steps/parameters.ts';
import { parseBody } from '#shared/platform/http/pipeline/steps/parse-body.ts';
import { problems } from '#shared/platform/http/pipeline/steps/problem.ts';
import { requestLog } from '#shared/platform/http/pipeline/steps/request-log.ts';
import {
  type Deprecations,
  deprecationHeaders,
  responseHeaders,
} from '#shared/platform/http/pipeline/steps/response-headers.ts';
import type { Binding, Handler, RequestContext, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { validate } from '#shared/platform/http/pipeline/steps/validate.ts';
import type { Limiter } from '#shared/platform/limits/limiter.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { runInvocation } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { isVersion } from '#shared/platform/wire/version.ts';
import type { Settings } from '#shared/vocabulary.ts';
import { type Dependencies, execute } from './execute.ts';
import { executePublic } from './execute-public.ts';

interface CommonDependencies {
  readonly telemetry: Telemetry;
  readonly corsOrigins: Origins;
  readonly deprecations: Deprecations;
}

export interface PipelineDependencies extends CommonDependencies, Dependencies {
  readonly verify: Verify;
  readonly realm: string;
  readonly settings: Settings;
  readonly limiter?: Limiter | undefined;
}

interface PublicDependencies extends CommonDependencies, PublicContext {}

/** In the order of checks (§5, CONTRACT §2). Responses pass the steps in reverse, first `problems`. */
export const OPERATION_STEPS: readonly Step<Operation, PipelineDependencies>[] = [
  responseHeaders,
  requestLog,
  cors,
  deprecationHeaders,
  dryRun,
  authenticate,
  limit,
  authorize,
  parseBody,
  parameters,
  validate,
  problems,
];

/**
 * This array repeats the common steps, because esbuild keeps an unused array with a spread, and with it 15 KB of other
 * steps.
 */
export const PUBLIC_STEPS: readonly Step<PublicOperation, PublicDependencies>[] = [
  responseHeaders,
  requestLog,
  cors,
  deprecationHeaders,
  problems,
];

export type LambdaHandler = (event: GatewayEvent, context: Context) => Promise<GatewayResult>;

export const serve = (endpoint: Operation, dependencies: PipelineDependencies): LambdaHandler =>
  pipeline(OPERATION_STEPS, execute, { ...dependencies, endpoint });

export const servePublic = (endpoint: PublicOperation, dependencies: PublicDependencies): LambdaHandler =>
  pipeline(PUBLIC_STEPS, executePublic, { ...dependencies, endpoint });

/** Responds before Lambda's timeout; the outcome of the handler is then unknown. */
export const timeLimit = {
  name: 'timeLimit',
  refuses: ['unavailable'] as const,
  marginMs: 300,
  respond: () => {
    throw new ProblemError('unavailable', { detail: 'The request was not completed in time.' });
  },
};

export const pipeline = <E extends Endpoint, D>(
  steps: readonly Step<E, D>[],
  { handle }: Pick<Handler<E, D>, 'handle'>,
  binding: Binding<E, D>,
): LambdaHandler => {
  const { marginMs: timeoutEarlyInMillis, respond: timeoutEarlyResponse } = timeLimit;
  const handler = middy<RequestContext, GatewayResult>({ timeoutEarlyInMillis, timeoutEarlyResponse })
    .use(steps.map((step) => middleware(step, binding)))
    .handler((event, context) => handle(event, binding, context));
  return (event, context) => runInvocation(() => handler(normalizeEvent(event, context), context));
};

export const normalizeEvent = (event: GatewayEvent, context: Context): RequestContext => {
  const [, version] = event.rawPath.split('/');
  const headers = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...event,
    headers: Object.fromEntries(headers),
    method: event.requestContext.http.method.toUpperCase(),
    requestId: context.awsRequestId,
    version: isVersion(version) ? version : undefined,
  };
};

type Request = MiddyRequest<RequestContext, GatewayResult>;

const middleware = <E extends Endpoint, D>(
  { name, before, after, onError }: Step<E, D>,
  binding: Binding<E, D>,
): MiddlewareObj<RequestContext, GatewayResult> => {
  const complete = ({ event, response, error }: Pick<Request, 'event' | 'response' | 'error'>) => {
    if (response) after?.({ event, response, error }, binding);
  };
  return {
    name,
    ...(before && { before: ({ event }) => before(event, binding) }),
    ...(after && { after: complete, onError: complete }),
    ...(onError && {
      onError: async (request) => {
        // Its 429 precedes the problems of later steps (CONTRACT §2).
        request.error = (await request.event.refusal) ?? request.error;
        request.response = onError(request.error, request.event, binding);
      },
    }),
  };
};
