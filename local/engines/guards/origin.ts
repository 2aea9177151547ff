import { GuardError, type GuardedRequest } from './guard.ts';

/**
 * By this name a container finds the engines of this machine. It has no dot, as Docker's own `host.docker.internal` has:
 * the embedded S3 would take what stands before the dot for a bucket.
 */
export const HOST = 'engines';

/** A presigned URL of a file: `/bucket/key?…X-Amz-Signature=…`. */
const PRESIGNED_FILE = /^\/[^/?]+\/[^?]+\?(.*&)?X-Amz-Signature=/;

const isPresignedDownload = ({ method, url }: GuardedRequest): boolean => method === 'GET' && PRESIGNED_FILE.test(url);

/**
 * Refuses what a web page in this machine's browser can send to an engine: a request with an `Origin`, except the
 * download that the API redirects to, and one for a host name that the page has pointed at the loopback.
 * @param address the engine's own host and port; containers know the host as `engines`
 * @throws Refused 403
 */
export const checkOrigin = (request: GuardedRequest, address: string): void => {
  const { host, origin } = request.headers;
  if (host !== address && host !== address.replace(/^[^:]+/, HOST))
    throw new GuardError(403, 'AccessDenied', `Ask for ${address}.`);
  if (origin !== undefined && !isPresignedDownload(request))
    throw new GuardError(403, 'AccessDenied', 'The embedded engines answer no web page.');
};
