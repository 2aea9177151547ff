import type { GatewayResult } from '#shared/platform/gateway.ts';
import { invalidHeader } from './problem.ts';

/** The names of the loopback that a client may ask for. */
const NAMES = ['127.0.0.1', 'localhost'];
/** A browser leaves it out. */
const DEFAULT_PORT = 80;

/**
 * Refuses a request for another host: a web page may have pointed a name of its own at the loopback (DNS rebinding),
 * and the browser would let it read the answers.
 */
export const refuseOtherHost = (host: string | undefined, port: number): GatewayResult | undefined => {
  const own = NAMES.map((name) => `${name}:${port}`);
  const accepted = port === DEFAULT_PORT ? [...own, ...NAMES] : own;
  if (accepted.includes(host?.toLowerCase() ?? '')) return undefined;
  return invalidHeader(421, 'The request is for another host.', `This server answers for ${own.join(' and ')} only.`);
};
