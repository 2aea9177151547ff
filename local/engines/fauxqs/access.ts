import type { IncomingMessage } from 'node:http';
import { SignatureV4 } from '@smithy/signature-v4';
import { splitTarget } from '#local/gateway/event.ts';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';
import { RequestError } from './request-error.ts';

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/**
 * The host name under which containers reach the engines. Docker's own `host.docker.internal` does not work: the
 * embedded S3 reads the part before a dot as a bucket.
 */
export const CONTAINER_HOST = 'engines';

const FILE = /^\/[^/?]+\/[^?]/;
const CONTENT_HASH = 'x-amz-content-sha256';

/** S3's text, as others have observed it (docs/aws-unknowns.md, two-credentials). */
const TWO_CREDENTIALS =
  'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the ' +
  'Authorization header should be specified';

/**
 * Rejects requests that a web page in this machine's browser can send: requests for a host name that the page has
 * pointed at the loopback (DNS rebinding), requests with an `Origin`, except the download to which the API redirects,
 * and requests without the header `Authorization`, which a page cannot set without a preflight. A presigned URL
 * replaces that header, which S3 refuses beside it, and its signature and expiry are verified. The signature in the
 * header is not: the keys are well-known.
 * @param address host and port of the engine; containers use another host
 * @throws RequestError 403; 400 for two credentials
 */
export const checkAccess = async (request: Received, address: string, secretAccessKey: string): Promise<void> => {
  const { method, url = '', headers } = request;
  const { host, origin, authorization } = headers;
  if (host !== address && host !== address.replace(/^[^:]+/, CONTAINER_HOST))
    throw denied(`Send requests to ${address}, not to another host name (see docs/engines.md).`);
  const query = Object.fromEntries(new URLSearchParams(splitTarget(url).query));
  const isPresigned = 'X-Amz-Signature' in query;
  const isDownload = isPresigned && FILE.test(url) && (method === 'GET' || method === 'HEAD');
  if (origin !== undefined && !isDownload)
    throw denied('The embedded engines accept no requests from web pages (see docs/engines.md).');
  if (isPresigned && authorization !== undefined) throw new RequestError(400, 'InvalidArgument', TWO_CREDENTIALS);
  if (isPresigned) await checkPresigned(request, query, secretAccessKey);
  else if (authorization === undefined) throw denied('The request is not signed.');
};

const denied = (message: string, code = 'AccessDenied'): RequestError => new RequestError(403, code, message);

/** Signs the request again, with the parameters of its URL, and compares the signatures. */
const checkPresigned = async (
  { method = '', url = '', headers }: Received,
  { 'X-Amz-Signature': signature, ...query }: Record<string, string>,
  secretAccessKey: string,
): Promise<void> => {
  const signingDate = dateOf(query['X-Amz-Date']);
  const expiresIn = Number(query['X-Amz-Expires']);
  if (!(Date.now() <= signingDate.getTime() + expiresIn * 1000)) throw denied('Request has expired');
  const [accessKeyId = '', , region = ''] = query['X-Amz-Credential']?.split('/') ?? [];
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey },
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  });
  const sent = { host: headers.host as string, [CONTENT_HASH]: 'UNSIGNED-PAYLOAD' };
  const unsigned = new Set([CONTENT_HASH]);
  const { path } = splitTarget(url);
  // The signer rejects an expiry of more than a week.
  const expected = await signer
    .presign(
      { method, protocol: 'http:', hostname: '', path, query, headers: sent },
      { signingDate, expiresIn, unsignableHeaders: unsigned, unhoistableHeaders: unsigned },
    )
    .catch(() => undefined);
  if (expected?.query?.['X-Amz-Signature'] !== signature)
    throw denied('The signature does not match the request.', 'SignatureDoesNotMatch');
};

/** `20261121T093000Z` */
const dateOf = (compact = ''): Date =>
  new Date(compact.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
