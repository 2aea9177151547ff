import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';

const CONNECT_MS = 1000;
const REQUEST_MS = 3000;
const MAX_ATTEMPTS = 3;

/** @param requestMs timeout of one attempt */
export const clientOptions = (requestMs: number = REQUEST_MS) => ({
  maxAttempts: MAX_ATTEMPTS,
  sha256: Sha256,
  requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: requestMs, throwOnRequestTimeout: true },
});
