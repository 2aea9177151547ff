import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { IdempotencyRecord } from '#shared/platform/idempotency/record.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

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
  const [, unquoted, quoted] = UUID.exec(header.trim()) ?? [];
  const uuid = unquoted ?? quoted;
  if (!uuid)
    throw new ProblemError('invalid-idempotency-key', { detail: `The key is ${quote(header)}, which is not a UUID.` });
  return uuid.toLowerCase();
};

/** The beginning of the keys of an account's records. An account id contains no `#` (CONTRACT §2). */
export const recordPrefix = (account: string): string => `${account}#`;

/**
 * CONTRACT §8 Scope: the path contains version and collection. A gateway may route a path with a slash at its end, which
 * must not be another operation.
 */
export const toIdempotencyContext = (
  uuid: string,
  account: string,
  path: string,
  body: unknown,
): IdempotencyContext => ({
  key: `${recordPrefix(account)}POST ${path.replace(/\/+$/, '')}#${uuid}`,
  fingerprint: createHash('sha256').update(canonicalJson(body)).digest('base64url'),
});

/** RFC 8785 cannot represent lone surrogates and infinite numbers. Only ignored fields can still contain them here. */
const canonicalJson = (body: unknown): string => {
  try {
    return canonicalize(body) ?? '';
  } catch {
    const detail = 'must hold neither a lone surrogate nor a number too large';
    throw new ProblemError('validation-failed', { violations: [{ pointer: '', code: 'not-canonical', detail }] });
  }
};

const RECORDED_HEADERS = ['etag', 'location', 'retry-after'];

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

/** @throws ProblemError `idempotency-key-reused` for another body (§4 Idempotency 5) */
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
