import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import canonicalize from 'canonicalize';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import type { ConditionalChange } from './write.ts';

/**
 * The response to a committed request (CONTRACT §8). The record is an action of the transaction that commits the writes
 * (shared/platform/commit/commit.ts), so neither exists without the other.
 *
 *     commit ───────────────────────────────── expires_at ──────▶ time
 *     │ same key, same body → stored response  │ the key is free;
 *     │ same key, other body → 422             │ TTL deletes the record later
 *
 * An error is not recorded. Of concurrent requests with one key, one commits. The other requests replay its record, or
 * get 409 when they reach their deadline before that commit.
 */
export interface IdempotencyRecord {
  /** Account, method, path with version, and the client's key. */
  readonly key: string;
  /** SHA-256 of the canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Fails while an unexpired record of the key exists. */
export const putRecord = (record: IdempotencyRecord): ConditionalChange => ({
  table: 'idempotency',
  key: { key: record.key },
  put: { ...record },
  condition: {
    match: 'any',
    clauses: [
      ['key', 'absent'],
      ['expires_at', '<=', record.created_at],
    ],
  },
});

export type FindRecord = (key: string, now: number) => Promise<IdempotencyRecord | undefined>;

export const createRecordLookup =
  ({ client, tableNames }: DynamoContext): FindRecord =>
  async (key, now) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableNames.idempotency, Key: { key }, ConsistentRead: true }),
    );
    const record = Item as IdempotencyRecord | undefined;
    return record && record.expires_at > now ? record : undefined;
  };

export interface IdempotencyContext {
  readonly key: string;
  readonly fingerprint: string;
}

const MAX_KEY_LENGTH = 255;
const VISIBLE = /^[\x21-\x7e]+$/;
/** RFC 9651 §3.3.3. */
const STRUCTURED_STRING = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The nil and the max UUID (RFC 9562 §5.9, §5.10): the value of a variable that nobody has set. */
const UNSET = /^(?:[0-]+|[f-]+)$/;

const invalidKey = (detail: string): ProblemError => new ProblemError('invalid-idempotency-key', { detail });

/** @throws ProblemError `idempotency-key-required` or `invalid-idempotency-key` (CONTRACT §8) */
export const parseKey = (header: string | undefined, required: boolean): string | undefined => {
  if (header === undefined) {
    if (required) throw new ProblemError('idempotency-key-required', { detail: 'The request has no Idempotency-Key.' });
    return undefined;
  }
  const key = unquoted(header.replace(/^[ \t]+|[ \t]+$/g, ''));
  if (!key || key.length > MAX_KEY_LENGTH) {
    const forms = `neither 1 to ${MAX_KEY_LENGTH} visible ASCII characters nor a Structured Field string of them`;
    throw invalidKey(`The key is ${quote(header)}, which is ${forms}.`);
  }
  const uuid = key.toLowerCase();
  if (!UUID.test(uuid)) return key;
  if (UNSET.test(uuid)) throw invalidKey(`The key is ${quote(header)}, the same for everybody who has not set it.`);
  return uuid;
};

/** Equal for a key and its Structured Field string. */
const unquoted = (text: string): string | undefined => {
  if (text.startsWith('"')) return STRUCTURED_STRING.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1');
  return VISIBLE.test(text) ? text : undefined;
};

/** The beginning of the keys of an account's records. An account id contains no `#` (CONTRACT §2). */
export const recordPrefix = (account: string): string => `${account}#`;

/**
 * CONTRACT §8 Scope: the path contains version and collection. A gateway may route a path with a slash at its end, and
 * this path must not count as another operation.
 */
export const toIdempotencyContext = (
  sentKey: string,
  account: string,
  { method, path }: { readonly method: string; readonly path: string },
  body: unknown,
): IdempotencyContext => {
  const key = `${recordPrefix(account)}${method} ${path.replace(/\/+$/, '')}#${sentKey}`;
  try {
    const canonical = canonicalize(body) ?? '';
    return { key, fingerprint: createHash('sha256').update(canonical).digest('base64url') };
  } catch {
    // RFC 8785 cannot represent lone surrogates and infinite numbers. Only ignored fields can still contain them here.
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
