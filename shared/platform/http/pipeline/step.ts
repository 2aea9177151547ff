import type { Context } from 'aws-lambda';
import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { RequestContext } from './context.ts';

export type RequestHeader =
  | 'Accept-Encoding'
  | 'Access-Control-Request-Method'
  | 'Authorization'
  | 'Content-Encoding'
  | 'Content-Type'
  | 'Idempotency-Key'
  | 'If-Match'
  | 'If-None-Match'
  | 'Origin'
  | 'X-Shared-Cache'
  | 'traceparent'
  | 'tracestate';

/** The headers that the OpenAPI document describes; those of the transfer, of CORS and of single files are not among them. */
export type ResponseHeader =
  | 'Cache-Control'
  | 'Deprecation'
  | 'ETag'
  | 'Idempotent-Replayed'
  | 'Link'
  | 'Location'
  | 'Retry-After'
  | 'Sunset'
  | 'Vary'
  | 'WWW-Authenticate'
  | 'X-Request-Id';

/** A list that is the same for every endpoint, or a function of the endpoint. */
export type ListFor<About extends readonly unknown[], T> = readonly T[] | ((...about: About) => readonly T[]);

/**
 * What a part of the pipeline reads of requests, refuses and writes to responses. The OpenAPI document is a fold over
 * the declarations (shared/openapi/declarations.ts).
 */
export interface Declaration<E extends Endpoint> {
  readonly name: string;
  readonly reads?: ListFor<[endpoint: E], RequestHeader>;
  /** Query parameters. */
  readonly parameters?: ListFor<[endpoint: E, version: Version], string>;
  /** Codes of problems. */
  readonly refuses?: ListFor<[endpoint: E], Product['code']>;
  readonly writes?: ListFor<[endpoint: E, status: number], ResponseHeader>;
}

/** An endpoint, bound to the dependencies of its pipeline. */
export type Binding<E extends Endpoint, D> = { readonly endpoint: E } & D;

/** A response on its way out, and the error that it was made from, if any. */
export interface Outgoing {
  readonly event: RequestContext;
  readonly response: GatewayResult;
  readonly error: unknown;
}

/** One step of a pipeline; `pipeline` (serve.ts) makes a Middy middleware of it. */
export interface Step<E extends Endpoint, D = object> extends Declaration<E> {
  readonly before?: (event: RequestContext, binding: Binding<E, D>) => void | Promise<void>;
  /** Runs on every response, a problem too. */
  readonly after?: (answered: Outgoing, binding: Binding<E, D>) => void;
  /** Makes the response to an error. */
  readonly onError?: (error: unknown, event: RequestContext, binding: Binding<E, D>) => GatewayResult;
}

/** The innermost part of a pipeline: it makes the response. */
export interface Handler<E extends Endpoint, D = object> extends Declaration<E> {
  readonly handle: (event: RequestContext, binding: Binding<E, D>, context: Context) => Promise<GatewayResult>;
}

/** The values, on a condition. */
export const when = <const T extends string>(condition: unknown, ...values: readonly T[]): readonly T[] =>
  condition ? values : [];
