import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { splitTarget } from '#local/gateway/event.ts';
import { GuardError, type GuardedRequest } from './guard.ts';

/** Who may sign. */
export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** How far two clocks may be apart, as S3 has it. */
const MOST_SKEW_MS = 15 * 60 * 1000;
const LONGEST_S = 7 * 24 * 3600;

const CONTENT_HASH = 'x-amz-content-sha256';

const denied = (code: string, message: string): GuardError => new GuardError(403, code, message);

/** What a signature says of itself, in the query of an address or in a header. */
interface Signed {
  readonly region: string;
  readonly service: string;
  readonly at: Date;
  readonly headers: readonly string[];
  readonly signature: string;
  /** Seconds; an address only. */
  readonly lasts?: number;
}

/** `20261121T093000Z` */
const dateOf = (compact: string | undefined): Date => {
  const text = compact?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z') ?? '';
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw denied('AccessDenied', 'The signature has no time.');
  return date;
};

type Scope = Pick<Signed, 'region' | 'service'>;

const scopeOf = (credential: string | undefined, { accessKeyId }: Keys): Scope => {
  const [key, , region = '', service = '', end] = credential?.split('/') ?? [];
  if (key === accessKeyId && end === 'aws4_request') return { region, service };
  throw denied('InvalidAccessKeyId', 'The key is not one of this engine.');
};

const inQuery = (query: URLSearchParams, keys: Keys): Signed => {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? undefined;
  return {
    ...scopeOf(get('Credential'), keys),
    at: dateOf(get('Date')),
    headers: get('SignedHeaders')?.split(';') ?? [],
    signature: get('Signature') ?? '',
    lasts: Number(get('Expires')),
  };
};

const inHeader = ({ headers }: GuardedRequest, keys: Keys): Signed => {
  const part = (name: string) => new RegExp(`\\b${name}=([^, ]+)`).exec(headers.authorization ?? '')?.[1];
  return {
    ...scopeOf(part('Credential'), keys),
    at: dateOf(String(headers['x-amz-date'])),
    headers: part('SignedHeaders')?.split(';') ?? [],
    signature: part('Signature') ?? '',
  };
};

const checkTime = ({ at, lasts }: Signed, now: number): void => {
  const age = now - at.getTime();
  if (age < -MOST_SKEW_MS) throw denied('RequestTimeTooSkewed', 'It was signed in the future.');
  if (lasts === undefined && age > MOST_SKEW_MS) throw denied('RequestTimeTooSkewed', 'It was signed long ago.');
  if (lasts === undefined) return;
  if (!(lasts >= 0 && lasts <= LONGEST_S)) throw denied('AuthorizationQueryParametersError', 'X-Amz-Expires is wrong.');
  if (age > lasts * 1000) throw denied('AccessDenied', 'Request has expired');
};

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer | KeyObject, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** RFC 3986's unreserved characters stay, as SigV4 has it. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map((pair) => pair.map(encode).join('='))
    .sort()
    .join('&');

/** The request as SigV4 signs it; the path of S3 is signed as sent, and the other services have no other than `/`. */
const canonicalRequest = ({ method, url, headers, body = Buffer.alloc(0) }: GuardedRequest, signed: Signed): string => {
  const { path, query } = splitTarget(url);
  const hash = signed.lasts === undefined ? (headers[CONTENT_HASH] ?? sha256(body)) : 'UNSIGNED-PAYLOAD';
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

/** The key of a day, a region and a service; a key object, because Node takes long to take a key as bytes. */
const signingKey = (scope: readonly string[], { secretAccessKey }: Keys): KeyObject => {
  const name = [secretAccessKey, ...scope].join('/');
  if (latest?.name === name) return latest.key;
  const key = createSecretKey(scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`) as Buffer);
  latest = { name, key };
  return key;
};
let latest: { readonly name: string; readonly key: KeyObject } | undefined;

const signatureOf = (request: GuardedRequest, signed: Signed, keys: Keys): string => {
  const { region, service, at } = signed;
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonicalRequest(request, signed))].join('\n');
  return hmac(signingKey(scope, keys), text).toString('hex');
};

/**
 * Verifies the signature (SigV4) of a request, which is in its address or in its header. S3 signs the hash of the body,
 * which is a header; other services sign the body itself.
 * @throws Refused 403 for one that is unsigned, altered, signed with another key or for another service, or past its time
 */
export const verify = (request: GuardedRequest, keys: Keys, service = 's3', now = Date.now()): void => {
  const query = new URLSearchParams(splitTarget(request.url).query);
  const isAddress = query.has('X-Amz-Signature');
  if (!isAddress && !request.headers.authorization) throw denied('AccessDenied', 'The request is not signed.');
  const signed = isAddress ? inQuery(query, keys) : inHeader(request, keys);
  if (signed.service !== service) throw denied('SignatureDoesNotMatch', `The signature is not for ${service}.`);
  checkTime(signed, now);
  if (signed.headers.includes('host') && signed.signature === signatureOf(request, signed, keys)) return;
  throw denied('SignatureDoesNotMatch', 'The request is not what was signed.');
};
