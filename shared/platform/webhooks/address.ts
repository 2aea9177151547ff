import { BlockList, isIP, type LookupFunction } from 'node:net';
import { LOCALHOST, NameError, type Resolve, resolveName } from './resolve-name.ts';

/** `allowsLocal` also permits loopback addresses and `localhost`, with http and with any port (CONTRACT §15). */
export interface AddressRules {
  readonly allowsLocal: boolean;
}

/** The parser would remove or convert these characters: the requested URL would differ from the stored URL. */
const AMBIGUOUS_CHARACTER = /[\s\p{Cc}\\]/u;
/** The parser accepts another number of slashes, too. */
const HTTP_URL = /^https?:\/\/[^/]/i;
/** The parser removes empty user info. */
const USER_INFO = /^[^/]*\/\/[^/?#]*@/;
const PORTS = ['', '443', '8443'];
const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
/** A name can have thousands of addresses, to which one attempt would connect in turn. */
const MAX_ADDRESSES = 8;

/** Describes the fault of a receiver's URL. `checkedLookup` checks a name when it resolves it. */
export const urlError = (url: string, rules: AddressRules): string | undefined => {
  if (AMBIGUOUS_CHARACTER.test(url)) return 'must not contain white space, control characters or backslashes';
  // The parser normalizes every spelling of an IPv4 address: decimal, octal, hexadecimal, short.
  const parsed = HTTP_URL.test(url) ? URL.parse(url) : null;
  const host = parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  const isLocal = rules.allowsLocal && (host === LOCALHOST || isLoopback(host));
  if (!parsed || (parsed.protocol !== 'https:' && !isLocal)) return 'must be an https URL';
  if (USER_INFO.test(url)) return 'must not contain user info';
  if (!isLocal && !PORTS.includes(parsed.port)) return 'must use port 443 or 8443';
  if (!hasLengthOfName(host)) {
    return `must have a host of at most ${MAX_HOST_LENGTH} characters, with 1 to ${MAX_LABEL_LENGTH} between dots`;
  }
  if (isIP(host) && !isPermitted(host, rules)) return 'must not name an address that is not public';
  return undefined;
};

/** RFC 1035 §2.3.4. A dot at the end does not count. */
const hasLengthOfName = (host: string): boolean => {
  const name = host.replace(/\.$/, '');
  const labels = name.split('.');
  return name.length <= MAX_HOST_LENGTH && labels.every(({ length }) => length > 0 && length <= MAX_LABEL_LENGTH);
};

/**
 * A `lookup` for `node:net` that resolves a name once, and fails if any of its addresses is not permitted. The
 * connection goes to an address that it returned. Node does not call it for literals.
 */
export const checkedLookup =
  (rules: AddressRules, signal: AbortSignal, resolve: Resolve = resolveName): LookupFunction =>
  (hostname, { all }, callback) => {
    const check: Resolve = async () => {
      const addresses = await resolve(hostname, signal);
      if (addresses.every(({ address }) => isPermitted(address, rules))) return addresses;
      throw new NameError('address-not-allowed', `The name ${hostname} has an address that is not public.`);
    };
    check(hostname, signal).then(
      (addresses) => {
        if (all) callback(null, addresses.slice(0, MAX_ADDRESSES));
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error) => callback(error, ''),
    );
  };

const isPermitted = (address: string, { allowsLocal }: AddressRules): boolean =>
  isPublicAddress(address) || (allowsLocal && isLoopback(address));

/** Whether it is an IPv4 or IPv6 address, without brackets and zone, that is globally reachable (RFC 6890). */
export const isPublicAddress = (address: string): boolean => {
  if (address.includes('%')) return false;
  if (isIP(address) === 4) return !RESERVED_IPV4.check(address, 'ipv4');
  return isIP(address) === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !RESERVED_IPV6.check(address, 'ipv6');
};

export const isLoopback = (address: string): boolean => {
  if (isIP(address) === 4) return LOOPBACK_IPV4.check(address, 'ipv4');
  return isIP(address) === 6 && !address.includes('%') && LOOPBACK_IPV6.check(address, 'ipv6');
};

// Each family has a list, because a BlockList applies its IPv4 ranges to mapped IPv6 addresses (::ffff:0:0/96) too.
const ranges = (family: 'ipv4' | 'ipv6', subnets: readonly (readonly [net: string, prefix: number])[]): BlockList => {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family);
  return list;
};

const LOOPBACK_IPV4 = ranges('ipv4', [['127.0.0.0', 8]]);
const LOOPBACK_IPV6 = ranges('ipv6', [['::1', 128]]);

const RESERVED_IPV4 = ranges('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared (carrier-grade NAT)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]);

/** The only global unicast range that is assigned: excludes loopback, mapped, NAT64, private, link-local, multicast. */
const GLOBAL_IPV6 = ranges('ipv6', [['2000::', 3]]);

const RESERVED_IPV6 = ranges('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]);
