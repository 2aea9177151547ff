import type { Context } from 'aws-lambda';
import type { IdempotencyContext } from '#shared/platform/commit/idempotency.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import type { Endpoint, Input } from '#shared/platform/http/endpoint.ts';
import type { Amount } from '#shared/platform/http/reply.ts';
import type { Listing } from '#shared/platform/http/request/pagination.ts';
import type { Query, Selection } from '#shared/platform/http/request/query.ts';
import type { ProblemError } from '#shared/platform/problem.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ProblemCode } from '#shared/vocabulary.ts';

export type ListFor<About extends readonly unknown[], T> = readonly T[] | ((...about: About) => readonly T[]);

/** The OpenAPI document is a fold over the declarations of all steps (shared/openapi/declarations.ts). */
export interface Declaration<E extends Endpoint> {
  readonly name: string;
  readonly reads?: ListFor<[endpoint: E], RequestHeader>;
  readonly parameters?: ListFor<[endpoint: E, version: Version], string>;
  readonly refuses?: ListFor<[endpoint: E], ProblemCode>;
  readonly writes?: ListFor<[endpoint: E, status: number], ResponseHeader>;
}

export type Binding<E extends Endpoint, D> = { readonly endpoint: E } & D;

export interface Outgoing {
  readonly event: RequestContext;
  readonly response: GatewayResult;
  readonly error: unknown;
}

/** One step of a pipeline; `pipeline` (serve.ts) converts it to a Middy middleware. */
export interface Step<E extends Endpoint, D = object> extends Declaration<E> {
  readonly before?: (event: RequestContext, binding: Binding<E, D>) => void | Promise<void>;
  /** Runs for every response, including problems. */
  readonly after?: (outgoing: Outgoing, binding: Binding<E, D>) => void;
  readonly onError?: (error: unknown, event: RequestContext, binding: Binding<E, D>) => GatewayResult;
}

export interface Handler<E extends Endpoint, D = object> extends Declaration<E> {
  readonly handle: (event: RequestContext, binding: Binding<E, D>, context: Context) => Promise<GatewayResult>;
}

/** The values if the condition holds, otherwise an empty list. */
export const when = <const T extends string>(condition: unknown, ...values: readonly T[]): readonly T[] =>
  condition ? values : [];

/** A request in the pipeline: the normalized event, and the results of the steps. */
export interface RequestContext extends Omit<GatewayEvent, 'body' | 'headers' | 'version'> {
  /** By lower-case name; only headers that a step declares have a type. */
  readonly headers: { readonly [H in RequestHeader as Lowercase<H>]?: string | undefined };
  /** A text until the body parser runs, then a JSON value. */
  body?: unknown;
  readonly method: string;
  readonly requestId: string;
  readonly version: Version | undefined;
  /** Whether the request only shows what it would do (CONTRACT §13). */
  isDryRun?: boolean;
  caller?: Caller;
  /** Settles when the request is counted (CONTRACT §16), with the refusal of an account above its budget. */
  refusal?: Promise<ProblemError | undefined>;
  budgetLeft?: number | undefined;
  query?: Query;
  idempotencyKey?: string | undefined;
  checkPreconditions?: Input['checkPreconditions'];
  request?: ParsedRequest;
  attempts?: number;
  amount?: Amount | undefined;
}

export interface ParsedRequest {
  readonly input: Omit<Input, 'now' | 'newId' | 'permit'>;
  readonly selection: Selection;
  readonly listing: Listing | undefined;
  readonly idempotency: IdempotencyContext | undefined;
}

export type RequestHeader =
  | 'Accept-Encoding'
  | 'Access-Control-Request-Headers'
  | 'Access-Control-Request-Method'
  | 'Authorization'
  | 'Content-Encoding'
  | 'Content-Type'
  | 'Host'
  | 'Idempotency-Key'
  | 'If-Match'
  | 'If-None-Match'
  | 'Origin'
  | 'X-Forwarded-Host'
  | 'X-Forwarded-Proto'
  | 'X-Shared-Cache'
  | 'traceparent'
  | 'tracestate';

/** The headers in the OpenAPI document. It omits the headers of the transfer, of CORS and of single files. */
export type ResponseHeader =
  | 'Accept'
  | 'Accept-Encoding'
  | 'Accept-Patch'
  | 'Cache-Control'
  | 'Deprecation'
  | 'Dry-Run'
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Link'
  | 'Location'
  | 'RateLimit'
  | 'RateLimit-Policy'
  | 'Retry-After'
  | 'Sunset'
  | 'Vary'
  | 'WWW-Authenticate'
  | 'X-Request-Id';
