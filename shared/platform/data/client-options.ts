import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';

const CONNECT_MS = 1000;
const REQUEST_MS = 3000;
const ATTEMPTS = 3;

/**
 * What every client of AWS is made with: explicit timeouts and a few attempts. Address, region and credentials are the
 * SDK's own environment variables.
 * @param requestMs how long one attempt may take, in milliseconds
 */
export const clientOptions = (requestMs: number = REQUEST_MS) => ({
  maxAttempts: ATTEMPTS,
  sha256: Sha256,
  requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: requestMs, throwOnRequestTimeout: true },
});
