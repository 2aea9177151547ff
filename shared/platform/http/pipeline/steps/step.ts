import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import type { Amount } from '#shared/platform/http/reply.ts';
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

/** A step reads members of the request, and returns the members that it adds. */
export interface Step<Request, Added, E extends Endpoint, D = object> extends Declaration<E> {
  readonly run: (request: Request, binding: Binding<E, D>) => Added | Promise<Added>;
}

/** A step that is a Middy middleware, for the endpoints that need it. */
export interface MiddlewareStep<E extends Endpoint> extends Declaration<E> {
  readonly middleware: (endpoint: E) => MiddlewareObj<GatewayEvent> | undefined;
}

export interface Handler<Request, E extends Endpoint, D = object> extends Declaration<E> {
  readonly handle: (request: Request, binding: Binding<E, D>, context: Context) => Promise<GatewayResult>;
}

type Added<S> = S extends { readonly run: (...args: never[]) => infer Result } ? Awaited<Result> : object;

/** Steps in their order. Each step reads only members that earlier steps have added. */
export interface Steps<Request, E extends Endpoint, D> {
  readonly list: readonly (Step<Request, unknown, E, D> | MiddlewareStep<E>)[];
  readonly next: <S extends Step<Request, object | undefined, E, D> | MiddlewareStep<E>>(
    step: S,
  ) => Steps<Request & Added<S>, E, D>;
}

export const steps = <Request, E extends Endpoint, D>(
  list: Steps<Request, E, D>['list'] = [],
): Steps<Request, E, D> => ({
  list,
  next: (step) => steps([...list, step] as never),
});

/** The values if the condition holds, otherwise an empty list. */
export const when = <const T extends string>(condition: unknown, ...values: readonly T[]): readonly T[] =>
  condition ? values : [];

/** A request as it arrives. */
export interface Received extends Omit<GatewayEvent, 'headers'> {
  /** The headers by their names in lower case; only headers that a step declares have a type. */
  readonly headers: { readonly [H in RequestHeader as Lowercase<H>]?: string | undefined };
  readonly method: string;
  readonly requestId: string;
  readonly apiVersion: Version | undefined;
  /** Whether the request only shows what it would do (CONTRACT §13). */
  readonly isDryRun: boolean;
  /** Values for the log and the metrics of the request, in addition to its response. */
  readonly logged: { runs?: number; amount?: Amount | undefined };
}

/** A request of an operation: its route has a version. */
export type Versioned = Received & { readonly apiVersion: Version };

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
