import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { splitTarget } from '#local/gateway/event.ts';
import { GuardError, type GuardedRequest } from './guard.ts';

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** S3's limit on the difference between two clocks. */
const MAX_SKEW_MS = 15 * 60 * 1000;
const MAX_EXPIRES_S = 7 * 24 * 3600;

const CONTENT_HASH = 'x-amz-content-sha256';

const denied = (code: string, message: string): GuardError => new GuardError(403, code, message);

/** The parts of a signature in the Authorization header or in a presigned URL. */
interface Signature {
  readonly region: string;
  readonly service: string;
  readonly at: Date;
  readonly headers: readonly string[];
  readonly signature: string;
  /** Seconds; only in a presigned URL. */
  readonly expiresIn?: number;
}

/** `20261121T093000Z` */
const dateOf = (compact: string | undefined): Date => {
  const text = compact?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? '';
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw denied('AccessDenied', 'The signature has no date.');
  return date;
};

type Scope = Pick<Signature, 'region' | 'service'>;

const scopeOf = (credential: string | undefined, { accessKeyId }: Keys): Scope => {
  const [key, , region = '', service = '', end] = credential?.split('/') ?? [];
  if (key === accessKeyId && end === 'aws4_request') return { region, service };
  throw denied(
    'InvalidAccessKeyId',
    'The access key is not that of this engine: use the keys of engines.env (see docs/engines.md).',
  );
};

const parseQuery = (query: URLSearchParams, keys: Keys): Signature => {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? undefined;
  return {
    ...scopeOf(get('Credential'), keys),
    at: dateOf(get('Date')),
    headers: get('SignedHeaders')?.split(';') ?? [],
    signature: get('Signature') ?? '',
    expiresIn: Number(get('Expires')),
  };
};

const parseHeader = ({ headers }: GuardedRequest, keys: Keys): Signature => {
  const part = (name: string) => new RegExp(`\\b${name}=([^, ]+)`).exec(headers.authorization ?? '')?.[1];
  return {
    ...scopeOf(part('Credential'), keys),
    at: dateOf(String(headers['x-amz-date'])),
    headers: part('SignedHeaders')?.split(';') ?? [],
    signature: part('Signature') ?? '',
  };
};

const checkTime = ({ at, expiresIn }: Signature, now: number): void => {
  const age = now - at.getTime();
  if (age < -MAX_SKEW_MS) throw denied('RequestTimeTooSkewed', 'The request was signed in the future.');
  if (expiresIn === undefined && age > MAX_SKEW_MS)
    throw denied('RequestTimeTooSkewed', 'The request was signed more than 15 minutes ago.');
  if (expiresIn === undefined) return;
  if (!(expiresIn >= 0 && expiresIn <= MAX_EXPIRES_S))
    throw denied(
      'AuthorizationQueryParametersError',
      `X-Amz-Expires must be a number of seconds, at most ${MAX_EXPIRES_S}.`,
    );
  if (age > expiresIn * 1000) throw denied('AccessDenied', 'Request has expired');
};

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer | KeyObject, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** SigV4 escapes all but RFC 3986's unreserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encode).join('='))
    .sort()
    .join('&');

/** The canonical request of SigV4. S3 signs the path as sent; the other services use only `/`. */
const canonicalRequest = (
  { method, url, headers, body = Buffer.alloc(0) }: GuardedRequest,
  signed: Signature,
): string => {
  const { path, query } = splitTarget(url);
  const hash = signed.expiresIn === undefined ? (headers[CONTENT_HASH] ?? sha256(body)) : 'UNSIGNED-PAYLOAD';
  return [
    method,
    path,
    canonicalQuery(new URLSearchParams(query)),
    ...signed.headers.map((name) => `${name}:${String(headers[name] ?? '').replace(/ +/g, ' ')}`),
    '',
    signed.headers.join(';'),
    hash,
  ].join('\n');
};

/** The signing key of a day, a region and a service. A key object, because Node is slow to import a key from bytes. */
const signingKey = (scope: readonly string[], { secretAccessKey }: Keys): KeyObject => {
  const name = [secretAccessKey, ...scope].join('/');
  if (latest?.name === name) return latest.key;
  const key = createSecretKey(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`) as Buffer);
  latest = { name, key };
  return key;
};
let latest: { readonly name: string; readonly key: KeyObject } | undefined;

const signatureOf = (request: GuardedRequest, signed: Signature, keys: Keys): string => {
  const { region, service, at } = signed;
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonicalRequest(request, signed))].join('\n');
  return hmac(signingKey(scope, keys), text).toString('hex');
};

/**
 * Verifies the SigV4 signature in the URL or in the Authorization header. S3 signs the header with the body's hash;
 * other services sign the body itself.
 * @throws GuardError 403 for a request that is unsigned, altered, expired, or signed with another key or for another
 * service
 */
export const verify = (request: GuardedRequest, keys: Keys, service = 's3', now = Date.now()): void => {
  const query = new URLSearchParams(splitTarget(request.url).query);
  const isPresigned = query.has('X-Amz-Signature');
  if (!isPresigned && !request.headers.authorization) throw denied('AccessDenied', 'The request is not signed.');
  const signed = isPresigned ? parseQuery(query, keys) : parseHeader(request, keys);
  if (signed.service !== service) throw denied('SignatureDoesNotMatch', `The signature is not for ${service}.`);
  checkTime(signed, now);
  if (signed.headers.includes('host') && signed.signature === signatureOf(request, signed, keys)) return;
  throw denied('SignatureDoesNotMatch', 'The signature does not match the request.');
};
