import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import { type PublicOperation, publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { publicLambda } from '#shared/runtime/endpoint-runtime.ts';
import { gatewayEvent, type ReceivedRequest, type RoutedRequest, splitTarget } from './event.ts';
import { type Invocation, invoke, type LambdaFunction } from './invoke.ts';
import { isEventTooLarge } from './payload.ts';

/** Handles a request as API Gateway and Lambda do. It never rejects: a function that fails is a 500. */
export type Handle = (received: ReceivedRequest, invocation?: Invocation) => Promise<GatewayResult>;

export interface Destination extends RoutedRequest {
  readonly lambda: LambdaFunction;
}

/** Finds the function of a request. The path is not decoded. */
export type Router = (method: string, path: string) => Destination;

/** Routes a request, creates its event, and invokes the function. */
export const createHandle =
  (route: Router): Handle =>
  async (received, invocation) => {
    const { lambda, ...routed } = route(received.method, splitTarget(received.target).path);
    const event = gatewayEvent(received, routed);
    const isTooLarge = received.body === undefined || isEventTooLarge(event);
    return isTooLarge ? invokeOrFail(TOO_LARGE, { ...event, body: '' }) : invokeOrFail(lambda, event, invocation);
  };

/** The response of API Gateway when a function fails. */
export const FAILED: GatewayResult = {
  statusCode: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Internal Server Error' }),
};

const invokeOrFail = async (
  lambda: LambdaFunction,
  event: GatewayEvent,
  invocation?: Invocation,
): Promise<GatewayResult> => {
  try {
    return await invoke(lambda, event, invocation);
  } catch (error) {
    console.error(`${lambda.name} failed:`, error);
    return FAILED;
  }
};

/** Responds to a body that API Gateway would reject with the service's own problem (CONTRACT §10). */
const tooLarge: PublicOperation = publicEndpoint({
  route: DEFAULT_ROUTE,
  handle() {
    throw new ProblemError('body-too-large', {
      detail: 'The body is larger than a function accepts; at most 262144 bytes are accepted.',
    });
  },
});

const TOO_LARGE: LambdaFunction = {
  name: 'too-large',
  limits: LAMBDA_DEFAULTS,
  load: async () => publicLambda(tooLarge),
};
