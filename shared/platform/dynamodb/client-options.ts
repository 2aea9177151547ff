import { Agent } from 'node:http';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';

const CONNECT_MS = 1000;
const RESPONSE_MS = 3000;
const MAX_ATTEMPTS = 3;
const IDLE_MS = 5000;

/**
 * The connections to local engines, which serve http: one pool for all clients, because the local server runs every
 * function in one process. A client that ends must not close the connections of other clients. On AWS, each client has
 * the SDK's own pool for https.
 */
const localPool = Object.assign(new Agent({ keepAlive: true, timeout: IDLE_MS }), { destroy: () => {} });

/** Limits of one attempt, in milliseconds. */
interface Timeouts {
  /** Time until the headers of the response arrive. It does not end a body that stops. */
  readonly requestTimeout: number;
  /** Time between two parts of a request or response. */
  readonly socketTimeout?: number;
}

export const clientOptions = (timeouts: Timeouts = { requestTimeout: RESPONSE_MS, socketTimeout: RESPONSE_MS }) => ({
  maxAttempts: MAX_ATTEMPTS,
  sha256: Sha256,
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    throwOnRequestTimeout: true,
    httpAgent: localPool,
    ...timeouts,
  },
});
