import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Handle } from '#local/gateway/handle.ts';
import { LOCAL_ISSUER } from '#local/settings/settings.ts';
import type { Issuer } from './issuer.ts';

const DETAIL =
  'The token has a key that this server does not have: that of another or a deleted DATA_DIR, or of the docs page before ' +
  'a restart. Run npm run token with the DATA_DIR of this server, or reload the page.';

/**
 * Says in the 401 to a token of the local issuer why this server does not have its key. On AWS, the service's own `detail`
 * would be wrong with this text.
 */
export const explainUnknownKeys = (handle: Handle, issuers: readonly Issuer[]): Handle => {
  const known = new Set(issuers.flatMap(({ keys }) => keys.keys.map(({ kid }) => kid)));
  return async (received, invocation) => {
    const result = await handle(received, invocation);
    if (result.statusCode !== 401 || !result.body) return result;
    const key = keyOf(received.rawHeaders);
    if (key === undefined || known.has(key)) return result;
    return { ...result, body: JSON.stringify({ ...JSON.parse(result.body), detail: DETAIL }) };
  };
};

/** The form of the key ids that `generateKey` makes. */
const KEY_ID = /^[\w-]{8}$/;

/** The key id of the bearer token if the local issuer made it. */
const keyOf = (rawHeaders: readonly string[]): string | undefined => {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization');
  const token = /^bearer +(\S+)$/i.exec(rawHeaders[at + 1] ?? '')?.[1] ?? '';
  try {
    const { kid = '' } = decodeProtectedHeader(token);
    return decodeJwt(token).iss === LOCAL_ISSUER && KEY_ID.test(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
};
