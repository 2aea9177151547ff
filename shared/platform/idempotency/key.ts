import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { IdempotencyRecord } from '#shared/platform/idempotency/record.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** A request with a key: the key of its record, and the fingerprint of its body. */
export interface IdempotencyContext {
  readonly key: string;
  readonly fingerprint: string;
}

const UUID = /^(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")$/i;

/** @throws ProblemError `idempotency-key-required` or `invalid-idempotency-key` (CONTRACT §8) */
export const parseKey = (header: string | undefined, required: boolean): string | undefined => {
  if (header === undefined) {
    if (required) throw new ProblemError('idempotency-key-required', { detail: 'The request has no Idempotency-Key.' });
    return undefined;
  }
  const [, bare, quoted] = UUID.exec(header.trim()) ?? [];
  const uuid = bare ?? quoted;
  if (!uuid)
    throw new ProblemError('invalid-idempotency-key', { detail: `The key is ${quote(header)}, which is not a UUID.` });
  return uuid.toLowerCase();
};

/**
 * One operation of one account under one version: the path carries version and collection (CONTRACT §8 Scope).
 * @throws ProblemError `validation-failed` for a body without a canonical form
 */
export const toIdempotencyContext = (
  uuid: string,
  account: string,
  path: string,
  body: unknown,
): IdempotencyContext => ({
  key: `${account}#POST ${path}#${uuid}`,
  fingerprint: createHash('sha256').update(canonicalJson(body)).digest('base64url'),
});

/** RFC 8785 has no form for lone surrogates and infinite numbers; only a field that is ignored could hold one. */
const canonicalJson = (body: unknown): string => {
  try {
    return canonicalize(body) ?? '';
  } catch {
    const detail = 'must hold neither a lone surrogate nor a number too large';
    throw new ProblemError('validation-failed', { violations: [{ pointer: '', code: 'not-canonical', detail }] });
  }
};

/** The response headers that a record keeps. */
const RECORDED_HEADERS = ['etag', 'location', 'retry-after'];

/** The record of a response, to be committed together with the writes of that response. */
export const toRecord = (
  { key, fingerprint }: IdempotencyContext,
  { statusCode = 200, headers, body = '' }: GatewayResult,
  now: number,
  hours: number,
): IdempotencyRecord => ({
  key,
  fingerprint,
  status: statusCode,
  headers: Object.fromEntries(
    RECORDED_HEADERS.filter((name) => name in headers).map((name) => [name, String(headers[name])]),
  ),
  body,
  created_at: now,
  expires_at: now + hours * 3600,
});

/**
 * The recorded response, byte for byte (§4 Idempotency 3).
 * @throws ProblemError `idempotency-key-reused` for another body (§4 Idempotency 5)
 */
export const replay = (record: IdempotencyRecord, { fingerprint }: IdempotencyContext): GatewayResult => {
  if (record.fingerprint !== fingerprint) {
    const detail = 'was used with another body';
    const violation = { header: 'Idempotency-Key', code: 'idempotency-key-reused', detail };
    throw new ProblemError('idempotency-key-reused', { violations: [violation] });
  }
  const fixed = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const headers = { ...fixed, ...record.headers, 'idempotent-replayed': 'true' };
  return { statusCode: record.status, headers, body: record.body };
};
