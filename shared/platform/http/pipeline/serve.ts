import middy, { type MiddlewareObj, type Request as MiddyRequest } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Endpoint, Operation, PublicOperation, ReadFile } from '#shared/platform/endpoint.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import { type Catalogue, ProblemError } from '#shared/platform/problem.ts';
import { runInvocation } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { answerPublic } from './answer-public.ts';
import { authenticate, authorize } from './authenticate.ts';
import type { RequestContext } from './context.ts';
import { cors } from './cors.ts';
import { type Deprecations, deprecationHeaders } from './deprecation.ts';
import { type Dependencies, execute } from './execute.ts';
import { head } from './head.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { normalizeEvent, requestId } from './normalize-event.ts';
import { contentEncoding, parseJson, readBody } from './parse-body.ts';
import { query } from './parse-query.ts';
import { precondition } from './precondition.ts';
import { problems } from './problem.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import type { Binding, Handler, Step } from './step.ts';
import { validate } from './validate.ts';

/** What the pipeline of every endpoint depends on. */
export interface CommonDependencies {
  readonly catalogue: Catalogue;
  readonly telemetry: Telemetry;
  readonly corsOrigins: readonly string[];
  readonly deprecations: Deprecations;
}

/** What an operation's pipeline depends on. */
export interface PipelineDependencies extends CommonDependencies, Dependencies {
  readonly verify: Verify;
}

/** What a public endpoint's pipeline depends on. */
export interface PublicDependencies extends CommonDependencies {
  readonly read: ReadFile;
}

/** The steps of an operation, in the order of checks (§5, CONTRACT §2); the last one makes the problems that the others complete. */
export const OPERATION_STEPS: readonly Step<Operation, PipelineDependencies>[] = [
  requestId,
  responseHeaders,
  requestLog,
  head,
  cors,
  deprecationHeaders,
  authenticate,
  authorize,
  contentEncoding,
  readBody,
  parseJson,
  query,
  idempotencyKey,
  precondition,
  validate,
  problems,
];

/** The steps of a public endpoint. */
export const PUBLIC_STEPS: readonly Step<PublicOperation, PublicDependencies>[] = [
  requestId,
  responseHeaders,
  requestLog,
  head,
  cors,
  deprecationHeaders,
  problems,
];

export type LambdaHandler = (event: GatewayEvent, context: Context) => Promise<GatewayResult>;

/** The Lambda handler of an operation. */
export const serve = (endpoint: Operation, around: PipelineDependencies): LambdaHandler =>
  pipeline(OPERATION_STEPS, execute, { ...around, endpoint });

/** The Lambda handler of a public endpoint. */
export const servePublic = (endpoint: PublicOperation, around: PublicDependencies): LambdaHandler =>
  pipeline(PUBLIC_STEPS, answerPublic, { ...around, endpoint });

/** Responds before Lambda would end the function; the outcome of the handler is then unknown. */
export const timeLimit = {
  name: 'timeLimit',
  refuses: ['unavailable'] as const,
  marginMs: 300,
  respond: () => {
    throw new ProblemError('unavailable', { detail: 'The request was not completed in time.' });
  },
};

/** Binds steps and a handler to an endpoint and its dependencies. */
export const pipeline = <E extends Endpoint, D>(
  steps: readonly Step<E, D>[],
  { handle }: Pick<Handler<E, D>, 'handle'>,
  binding: Binding<E, D>,
): LambdaHandler => {
  const { marginMs: timeoutEarlyInMillis, respond: timeoutEarlyResponse } = timeLimit;
  const served = middy<RequestContext, GatewayResult>({ timeoutEarlyInMillis, timeoutEarlyResponse })
    .use(steps.map((step) => middleware(step, binding)))
    .handler((event, context) => handle(event, binding, context));
  return (event, context) => runInvocation(() => served(normalizeEvent(event, context), context));
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
      onError: (request) => {
        request.response = onError(request.error, request.event, binding);
      },
    }),
  };
};
