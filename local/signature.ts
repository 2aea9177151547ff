import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '#shared/data/sha256.ts';
import { splitTarget } from './event.ts';
import { type Judged, Refused } from './guard.ts';

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

const denied = (code: string, message: string): Refused => new Refused(403, code, message);

/** What a signature says of itself, in the query of an address or in a header. */
interface Signed {
  readonly region: string;
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

const regionOf = (credential: string | undefined, { accessKeyId }: Keys): string => {
  const [key, , region = '', service, end] = credential?.split('/') ?? [];
  if (key === accessKeyId && service === 's3' && end === 'aws4_request') return region;
  throw denied('InvalidAccessKeyId', 'The key is not one of this engine.');
};

const inQuery = (query: URLSearchParams, keys: Keys): Signed => {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? undefined;
  return {
    region: regionOf(get('Credential'), keys),
    at: dateOf(get('Date')),
    headers: get('SignedHeaders')?.split(';') ?? [],
    signature: get('Signature') ?? '',
    lasts: Number(get('Expires')),
  };
};

const inHeader = ({ headers }: Judged, keys: Keys): Signed => {
  const part = (name: string) => new RegExp(`\\b${name}=([^, ]+)`).exec(headers.authorization ?? '')?.[1];
  return {
    region: regionOf(part('Credential'), keys),
    at: dateOf(String(headers['x-amz-date'])),
    headers: part('SignedHeaders')?.split(';') ?? [],
    signature: part('Signature') ?? '',
  };
};

const timely = ({ at, lasts }: Signed, now: number): void => {
  const age = now - at.getTime();
  if (age < -MOST_SKEW_MS) throw denied('RequestTimeTooSkewed', 'It was signed in the future.');
  if (lasts === undefined && age > MOST_SKEW_MS) throw denied('RequestTimeTooSkewed', 'It was signed long ago.');
  if (lasts === undefined) return;
  if (!(lasts >= 0 && lasts <= LONGEST_S)) throw denied('AuthorizationQueryParametersError', 'X-Amz-Expires is wrong.');
  if (age > lasts * 1000) throw denied('AccessDenied', 'Request has expired');
};

/** A request's path, nothing of it decoded, and its parameters. */
interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

const requestOf = ({ method, headers }: Judged, { path, query }: Target, signed: Signed) => ({
  method,
  protocol: 'http:',
  hostname: '',
  path,
  query: Object.fromEntries([...query].filter(([name]) => name !== 'X-Amz-Signature')),
  headers: Object.fromEntries(signed.headers.map((name) => [name, String(headers[name] ?? '')])),
});

/** Signs the request once more, as whoever holds the keys would have. */
const signatureOf = async (
  request: Judged,
  target: Target,
  signed: Signed,
  keys: Keys,
): Promise<string | undefined> => {
  const { sessionToken, ...pair } = keys;
  const signer = new SignatureV4({
    credentials: { ...pair, ...(sessionToken && { sessionToken }) },
    region: signed.region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  });
  const again = requestOf(request, target, signed);
  if (signed.lasts === undefined) {
    const { headers } = await signer.sign(again, { signingDate: signed.at });
    return /Signature=(.*)$/.exec(headers['authorization'] ?? '')?.[1];
  }
  const aside = new Set([CONTENT_HASH]);
  const { query } = await signer.presign(
    { ...again, headers: { ...again.headers, [CONTENT_HASH]: 'UNSIGNED-PAYLOAD' } },
    { signingDate: signed.at, expiresIn: signed.lasts, unhoistableHeaders: aside, unsignableHeaders: aside },
  );
  return String(query?.['X-Amz-Signature']);
};

/**
 * Verifies the signature (SigV4) of a request to S3, which is in its address or in its header.
 * @throws Refused 403 for one that is unsigned, altered, signed with another key, or past its time
 */
export const verify = async (request: Judged, keys: Keys, now = Date.now()): Promise<void> => {
  const { path, query: text } = splitTarget(request.url);
  const query = new URLSearchParams(text);
  const isAddress = query.has('X-Amz-Signature');
  if (!isAddress && !request.headers.authorization) throw denied('AccessDenied', 'The request is not signed.');
  const signed = isAddress ? inQuery(query, keys) : inHeader(request, keys);
  timely(signed, now);
  if (signed.signature === (await signatureOf(request, { path, query }, signed, keys))) return;
  throw denied('SignatureDoesNotMatch', 'The request is not what was signed.');
};
