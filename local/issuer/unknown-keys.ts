import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Handle } from '#local/gateway/handle.ts';
import { LOCAL_ISSUER } from '#local/settings/settings.ts';
import type { Issuer } from './issuer.ts';

/**
 * Reports refused tokens of the local issuer whose key this server does not have, once for each key. Only the server
 * knows its directory: the service's own `detail` must not name it, and on AWS it would be wrong.
 * @param directory contains the key of this server's issuer
 */
export const reportUnknownKeys = (handle: Handle, issuers: readonly Issuer[], directory: string): Handle => {
  const known = new Set(issuers.flatMap(({ keys }) => keys.keys.map(({ kid }) => kid)));
  return async (received, invocation) => {
    const result = await handle(received, invocation);
    const key = result.statusCode === 401 ? keyOf(received.rawHeaders) : undefined;
    if (key !== undefined && !known.has(key)) {
      known.add(key);
      console.error(
        `A refused token has the key ${key}, which is not in ${directory}: it is of another or a deleted DATA_DIR, or of ` +
          'the docs page before a restart. Run npm run token with the DATA_DIR of this server, or reload the page.',
      );
    }
    return result;
  };
};

/** As in `generateKey`. */
const KEY_ID = /^[\w-]{8}$/;

/** The key id of the bearer token if the local issuer made it. */
const keyOf = (rawHeaders: readonly string[]): string | undefined => {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization');
  const token = /\s(\S+)$/.exec(rawHeaders[at + 1] ?? '')?.[1] ?? '';
  try {
    const { kid = '' } = decodeProtectedHeader(token);
    return decodeJwt(token).iss === LOCAL_ISSUER && KEY_ID.test(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
};
