import { GuardError, type GuardedRequest } from './guard.ts';

/**
 * The host name under which containers reach the engines. Docker's own `host.docker.internal` does not work: the
 * embedded S3 reads the part before a dot as a bucket.
 */
export const HOST = 'engines';

const PRESIGNED_FILE = /^\/[^/?]+\/[^?]+\?(.*&)?X-Amz-Signature=/;

const isPresignedDownload = ({ method, url }: GuardedRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && PRESIGNED_FILE.test(url);

/**
 * Rejects requests that a web page in this machine's browser can send: those with an `Origin`, except the download to
 * which the API redirects, and those for a host name that the page has pointed at the loopback (DNS rebinding).
 * @param address host and port of the engine; containers use the host `engines`
 * @throws GuardError 403
 */
export const checkOrigin = (request: GuardedRequest, address: string): void => {
  const { host, origin } = request.headers;
  if (host !== address && host !== address.replace(/^[^:]+/, HOST))
    throw new GuardError(
      403,
      'AccessDenied',
      `Send requests to ${address}, not to another host name (see docs/engines.md).`,
    );
  if (origin !== undefined && !isPresignedDownload(request))
    throw new GuardError(
      403,
      'AccessDenied',
      'The embedded engines accept no requests from web pages (see docs/engines.md).',
    );
};
