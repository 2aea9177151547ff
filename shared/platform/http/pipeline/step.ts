import type { Context } from 'aws-lambda';
import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Exchange } from './context.ts';

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
export type Declared<About extends readonly unknown[], T> = readonly T[] | ((...about: About) => readonly T[]);

/**
 * What a part of the pipeline reads of requests, refuses and writes to responses. The OpenAPI document is a fold over
 * the declarations (shared/openapi/declared.ts).
 */
export interface Declaration<E extends Endpoint> {
  readonly name: string;
  readonly reads?: Declared<[endpoint: E], RequestHeader>;
  /** Query parameters. */
  readonly parameters?: Declared<[endpoint: E, version: Version], string>;
  /** Codes of problems. */
  readonly refuses?: Declared<[endpoint: E], Product['code']>;
  readonly writes?: Declared<[endpoint: E, status: number], ResponseHeader>;
}

/** The endpoint that a pipeline serves, and what its steps depend on. */
export type Serving<E extends Endpoint, D> = { readonly endpoint: E } & D;

/** A response on its way out, with the error that it tells of, if any. */
export interface Answered {
  readonly event: Exchange;
  readonly response: GatewayResult;
  readonly error: unknown;
}

/** One step of a pipeline, a Middy middleware once it is bound to an endpoint and its dependencies. */
export interface Step<E extends Endpoint, D = object> extends Declaration<E> {
  readonly before?: (event: Exchange, serving: Serving<E, D>) => void | Promise<void>;
  /** Runs on every response, a problem too. */
  readonly after?: (answered: Answered, serving: Serving<E, D>) => void;
  /** Makes the response to an error. */
  readonly onError?: (error: unknown, event: Exchange, serving: Serving<E, D>) => GatewayResult;
}

/** The innermost part of a pipeline: it makes the response. */
export interface Handler<E extends Endpoint, D = object> extends Declaration<E> {
  readonly handle: (event: Exchange, serving: Serving<E, D>, context: Context) => Promise<GatewayResult>;
}

/** The values, on a condition. */
export const when = <const T extends string>(condition: unknown, ...values: readonly T[]): readonly T[] =>
  condition ? values : [];
