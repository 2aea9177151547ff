import type { Context } from 'aws-lambda';
import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ProblemCode } from '#shared/vocabulary.ts';
import type { RequestContext } from './context.ts';
import type { RequestHeader, ResponseHeader } from './headers.ts';

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
