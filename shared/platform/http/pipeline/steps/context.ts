import type { Input } from '#shared/platform/endpoint.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { Amount } from '#shared/platform/http/reply.ts';
import type { Selection } from '#shared/platform/http/request/field-selection.ts';
import type { Listing } from '#shared/platform/http/request/pagination.ts';
import type { Query } from '#shared/platform/http/request/query.ts';
import type { IdempotencyContext } from '#shared/platform/idempotency/key.ts';
import type { ProblemError } from '#shared/platform/problem.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { RequestHeader } from './headers.ts';

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
  limit?: {
    /** Settles when the request is counted. */
    readonly counted: Promise<unknown>;
    /** Absent when the response does not wait for the decision. */
    readonly refusal?: Promise<ProblemError | undefined>;
  };
  budgetLeft?: number | undefined;
  query?: Query;
  idempotencyKey?: string | undefined;
  checkIfMatch?: Input['checkIfMatch'];
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
