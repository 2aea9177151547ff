import type { MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { VersionedId } from '#shared/platform/entity.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ParsedRequest } from './validate.ts';

/** A gateway event on its way through the pipeline; each middleware adds what it has found out. */
export interface Exchange extends Omit<GatewayEvent, 'body' | 'headers' | 'version'> {
  /** Names in lower case, whichever gateway sent them. */
  headers: Record<string, string | undefined>;
  /** The text, and behind the body parser the JSON value. */
  body?: unknown;
  readonly method: string;
  readonly requestId: string;
  /** The version in the path; unversioned paths have none. */
  readonly version: Version | undefined;
  caller?: Caller;
  request?: ParsedRequest;
  /** How often the handler has run. */
  runs?: number;
  /** What the reply tells of, once its writes are committed. */
  committed?: VersionedId | undefined;
}

export type Middleware = MiddlewareObj<Exchange, GatewayResult, Error, Context>;
