import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Endpoint, Operation, PublicOperation, ReadFile } from '#shared/platform/endpoint.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Verify } from '#shared/platform/http/auth/access-token.ts';
import { type Catalogue, Refusal } from '#shared/platform/problem.ts';
import { invoked } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { authenticate, authorize } from './authenticate.ts';
import type { Exchange, Middleware } from './context.ts';
import { cors } from './cors.ts';
import { announce, type Ends } from './deprecation.ts';
import { execute, type Reach } from './execute.ts';
import { head } from './head.ts';
import { receive } from './normalize-event.ts';
import { content } from './parse-body.ts';
import { problems } from './problem.ts';
import { observe } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import { parse } from './validate.ts';

/** What every endpoint's pipeline needs. */
export interface Open {
  readonly catalogue: Catalogue;
  readonly telemetry: Telemetry;
  readonly corsOrigins: readonly string[];
  readonly ends: Ends;
}

/** What an operation's pipeline needs beyond that. */
export interface Surroundings extends Open, Reach {
  readonly verify: Verify;
}

export type LambdaHandler = (event: GatewayEvent, context: Context) => Promise<GatewayResult>;

/** Answer this long before Lambda would end the function; what the handler does then is unknown. */
const EARLY_MS = 300;

const timeoutEarlyResponse = () => {
  throw new Refusal('unavailable', { detail: 'The request was not completed in time.' });
};

type Handler = (event: Exchange, context: Context) => Promise<GatewayResult>;

const pipeline = (steps: readonly Middleware[], handler: Handler): LambdaHandler => {
  const piped = middy<Exchange, GatewayResult>({ timeoutEarlyInMillis: EARLY_MS, timeoutEarlyResponse })
    .use([...steps])
    .handler(handler) as unknown as LambdaHandler;
  return (event, context) => invoked(() => piped(event, context));
};

const opening = (endpoint: Endpoint, { corsOrigins, ends, telemetry, catalogue }: Open): Middleware[] => [
  receive(),
  responseHeaders(),
  observe(endpoint, telemetry),
  head(),
  cors(corsOrigins),
  announce(ends),
  problems(telemetry, catalogue),
];

/** The Lambda handler of an operation: its steps, in the order of checks (§5, CONTRACT §2). */
export const serve = (operation: Operation, around: Surroundings): LambdaHandler =>
  pipeline(
    [
      ...opening(operation, around),
      authenticate(around.verify),
      authorize(operation.scope),
      ...content(operation),
      parse(operation),
    ],
    execute(operation, around),
  );

/** The Lambda handler of a public endpoint. */
export const servePublic = (operation: PublicOperation, around: Open & { readonly read: ReadFile }): LambdaHandler =>
  pipeline(opening(operation, around), async ({ method, rawPath, headers: sent, pathParameters }) => {
    const path = Object.fromEntries(Object.entries(pathParameters ?? {}).map(([name, text = '']) => [name, text]));
    const reply = await operation.handle({ method, rawPath, headers: sent, path }, around.read);
    const { status: statusCode, content: body, headers } = reply;
    if (body === undefined) return { statusCode, headers: { ...headers } };
    const bytes = Buffer.isBuffer(body) && { body: body.toString('base64'), isBase64Encoded: true };
    return { statusCode, headers: { ...headers }, body: body as string, ...bytes };
  });
