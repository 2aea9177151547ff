import type { Input } from '#shared/platform/endpoint.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { Amount } from '#shared/platform/http/reply.ts';
import type { Query } from '#shared/platform/http/request/query.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { RequestHeader } from './step.ts';
import type { ParsedRequest } from './validate.ts';

/** A request in flight: the gateway's event in one form, and what each step has found out. */
export interface RequestContext extends Omit<GatewayEvent, 'body' | 'headers' | 'version'> {
  /** By their names in lower case; a header that no step may read has no type. */
  readonly headers: { readonly [H in RequestHeader as Lowercase<H>]?: string | undefined };
  /** The text; after the body parser the JSON value. */
  body?: unknown;
  readonly method: string;
  readonly requestId: string;
  /** The version in the path; unversioned paths have none. */
  readonly version: Version | undefined;
  caller?: Caller;
  query?: Query;
  /** The UUID of the Idempotency-Key. */
  idempotencyKey?: string | undefined;
  /** Passes on a member that satisfies `If-Match`, and refuses any other. */
  checkIfMatch?: Input['checkIfMatch'];
  request?: ParsedRequest;
  /** How often the handler has run. */
  attempts?: number;
  /** The amount of a committed reply. */
  amount?: Amount | undefined;
}
