import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** A name that leads to no connection. The message is a sentence for the owner of the receiver. */
export class NameError extends Error {
  readonly code: 'address-not-allowed' | 'name-not-resolved';

  constructor(code: NameError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Resolves a name to its addresses. The signal cancels it. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<[LookupAddress, ...LookupAddress[]]>;

export const LOCALHOST = 'localhost';

/** The first query of a name is repeated after this time; each later time is twice as long. */
const QUERY_TIMEOUT_MS = 1000;
/** Limit of all queries of a name, to all name servers. */
const RESOLUTION_TIMEOUT_MS = 5000;
/** How long IPv4 addresses, which are tried first, wait for IPv6 addresses. Some name servers drop the question. */
const IPV6_TIMEOUT_MS = 200;

/**
 * Queries the name servers of this machine for IPv4 and IPv6 addresses. It does not read the hosts file.
 * `dns.lookup` cannot be canceled and occupies a thread of libuv, so that a few names whose servers do not answer
 * delay the requests to all receivers. Each name has a resolver, because `cancel` affects all queries of a resolver.
 */
export const resolveName: Resolve = async (hostname, signal) => {
  // Name servers must not get a query for this name (RFC 6761 §6.3).
  if (hostname === LOCALHOST) return [toAddress('127.0.0.1', 4), toAddress('::1', 6)];
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS });
  const cancel = () => resolver.cancel();
  let timer = setTimeout(cancel, RESOLUTION_TIMEOUT_MS);
  signal.addEventListener('abort', cancel, { once: true });
  const resolveIpv4 = async () => {
    const addresses = await resolver.resolve4(hostname);
    clearTimeout(timer);
    timer = setTimeout(cancel, IPV6_TIMEOUT_MS);
    return addresses;
  };
  const [ipv4, ipv6] = await Promise.allSettled([resolveIpv4(), resolver.resolve6(hostname)]);
  clearTimeout(timer);
  // IPv4 addresses come first, because a Lambda function outside a VPC has no IPv6.
  const [first, ...others] = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => toAddress(address, 4)) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => toAddress(address, 6)) : []),
  ];
  if (first) return [first, ...others];
  // An alias without an address is not an error.
  const code = ipv4.status === 'rejected' ? ipv4.reason.code : 'ENODATA';
  throw new NameError('name-not-resolved', `The name ${hostname} ${REASONS[code] ?? 'could not be resolved'}.`);
};

const toAddress = (address: string, family: 4 | 6): LookupAddress => ({ address, family });

/** By the codes of `node:dns`. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'does not exist',
  ENODATA: 'has no address',
  ETIMEOUT: 'could not be resolved in time',
  ECANCELLED: 'could not be resolved in time',
};
