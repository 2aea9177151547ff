import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { expect, test } from '@jest/globals';
import { checkedLookup, isLoopback, isPublicAddress, urlError } from '#shared/platform/webhooks/address.ts';
import type { Resolve } from '#shared/platform/webhooks/resolve-name.ts';
import { FORBIDDEN_ADDRESSES, FORBIDDEN_HOSTS } from '#test/support/receivers/forbidden-addresses.ts';
import { resolveTo } from '#test/support/receivers/webhook-receivers.ts';

const SIGNAL = new AbortController().signal;
const STRICT = { allowsLocal: false };
const LOCAL = { allowsLocal: true };
const NOT_PUBLIC = 'must not name an address that is not public';
const NO_HTTPS = 'must be an https URL';
const OTHER_PORT = 'must use port 443 or 8443';
const HOST_LENGTH = 'must have a host of at most 253 characters, with 1 to 63 between dots';
const CHARACTERS = 'must not contain white space, control characters or backslashes';

/** The neighbors of the forbidden ranges, and well-known addresses. */
const PUBLIC_ADDRESSES = [
  '1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255',
  '169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0',
  '192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0',
  '223.255.255.255 2000:: 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:4860:4860::8888',
  '2003:: 2606:4700:4700::1111 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::',
].flatMap((line) => line.split(' '));

const brackets = (address: string) => (isIP(address) === 6 ? `[${address}]` : address);

test.each(FORBIDDEN_HOSTS)('https://%s/: refused [CONTRACT §15]', (host) => {
  expect(urlError(`https://${host}/`, STRICT)).toBe(NOT_PUBLIC);
  expect(urlError(`https://${host}:8443/`, STRICT)).toBe(NOT_PUBLIC);
});

test.each(PUBLIC_ADDRESSES)(
  '%s: is public, as a literal and as an address of a name [CONTRACT §15]',
  async (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(urlError(`https://${brackets(address)}/`, STRICT)).toBeUndefined();
    expect(await lookUp(STRICT, resolveTo([address]), { all: true })).toEqual([{ address, family: isIP(address) }]);
  },
);

test.each([
  ...['', 'localhost', 'receiver.test', '127.1', '08.8.8.8', '8.8.8', '8.8.8.8 ', '256.1.1.1', '0x8080808'],
  ...['[2001:4860::1]', '2001:4860::1%eth0', '2001:4860::1/64'],
])('%j: is no address, thus not public', (text) => {
  expect([isPublicAddress(text), isLoopback(text)]).toEqual([false, false]);
});

test('the loopback addresses: 127.0.0.0/8 and ::1, but no mapped address', () => {
  const loopback = FORBIDDEN_ADDRESSES.filter(isLoopback);
  expect(loopback).toEqual(['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1']);
  expect(['126.255.255.255', '128.0.0.0', '::', '::2', '::1%lo', '::ffff:127.0.0.1'].filter(isLoopback)).toEqual([]);
});

const PERMITTED = undefined;
const USER_INFO = 'must not contain user info';

test.each<[urls: string, strict: string | undefined, local: string | undefined]>([
  ['https://receiver.test https://receiver.test/a?b=c https://receiver.test/#fragment', PERMITTED, PERMITTED],
  ['HTTPS://RECEIVER.TEST https://receiver.test:443 https://receiver.test:8443', PERMITTED, PERMITTED],
  ['https://localhost https://a.localhost https://receiver.test?@', PERMITTED, PERMITTED],
  ['https://receiver.test/@a?b=@c#@d', PERMITTED, PERMITTED],
  ['https://receiver.test:80 https://receiver.test:4430 https://localhost.:4100', OTHER_PORT, OTHER_PORT],
  ['https://8.8.8.8:4100', OTHER_PORT, OTHER_PORT],
  ['https://LOCALHOST:4100', OTHER_PORT, PERMITTED],
  ['http://receiver.test http://receiver.test:443 http://a.localhost http://localhost.test', NO_HTTPS, NO_HTTPS],
  ['http://10.0.0.1 http://8.8.8.8 ftp://receiver.test file:///etc/passwd data:text/plain,a', NO_HTTPS, NO_HTTPS],
  ['//receiver.test receiver.test https:// https://1.2.3.4.5 https://256.1.1.1', NO_HTTPS, NO_HTTPS],
  ['https://[fe80::1%25eth0] https://receiver.test:65536', NO_HTTPS, NO_HTTPS],
  ['https:receiver.test https:/receiver.test https:///receiver.test', NO_HTTPS, NO_HTTPS],
  ['', NO_HTTPS, NO_HTTPS],
  ['http://localhost http://localhost:4100 http://127.0.0.1:4100 http://127.1:4100', NO_HTTPS, PERMITTED],
  ['http://[::1]:4100', NO_HTTPS, PERMITTED],
  ['https://127.0.0.1', NOT_PUBLIC, PERMITTED],
  ['https://[::ffff:127.0.0.1] https://0.0.0.0 https://10.0.0.1 https://169.254.169.254', NOT_PUBLIC, NOT_PUBLIC],
  ['https://user@receiver.test https://:password@receiver.test', USER_INFO, USER_INFO],
  ['https://@receiver.test https://:@receiver.test', USER_INFO, USER_INFO],
])('the URLs %j: %j; with WEBHOOK_ALLOW_LOCAL: %j [CONTRACT §15]', (urls, strict, local) => {
  for (const url of urls.split(' ')) {
    expect([url, urlError(url, STRICT), urlError(url, LOCAL)]).toEqual([url, strict, local]);
  }
});

const LABEL = 'a'.repeat(63);

test.each<[host: string, expected: string | undefined]>([
  [`${LABEL}.test`, undefined],
  [`a${LABEL}.test`, HOST_LENGTH],
  [`${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(61)}`, undefined],
  [`${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(61)}.`, undefined],
  [`${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(62)}`, HOST_LENGTH],
  [`${'a.'.repeat(900)}test`, HOST_LENGTH],
  ['a..test', HOST_LENGTH],
  ['.test', HOST_LENGTH],
  ['test..', HOST_LENGTH],
  // DNS has 63 and 64 letters for these.
  [`${'ö'.repeat(57)}.test`, undefined],
  [`${'ö'.repeat(58)}.test`, HOST_LENGTH],
])('the host %s: %s [CONTRACT §15]', (host, expected) => {
  expect([STRICT, LOCAL].map((rules) => urlError(`https://${host}/`, rules))).toEqual([expected, expected]);
});

test.each(['\r\n', '\n', '\r', '\t', ' ', '\0', '\x1b', '\x7f', '\x85', '\xa0', '\u2028', '\u3000', '\ufeff', '\\'])(
  '%j at each place of a URL: refused, although the parser would remove or convert it [CONTRACT §15]',
  (character) => {
    const url = 'https://receiver.test/a?b#c';
    for (let i = 0; i <= url.length; i++) {
      const changed = url.slice(0, i) + character + url.slice(i);
      expect([changed, urlError(changed, STRICT)]).toEqual([changed, CHARACTERS]);
    }
  },
);

test.each([
  'https://örtchen.test/ü?ü#ü',
  'https://xn--rtchen-vxa.test',
  'https://receiver.test/a%20b%0D%0A%5C?c=%00',
  'https://a_b.test',
])('%s: permitted [CONTRACT §15]', (url) => {
  expect(urlError(url, STRICT)).toBeUndefined();
});

/** The addresses that a lookup returns, in both of its forms as a list, or the code of its error. */
const lookUp = (rules: { allowsLocal: boolean }, resolve: Resolve, options: { all?: boolean }) =>
  new Promise<LookupAddress[] | string>((done) => {
    checkedLookup(rules, SIGNAL, resolve)('receiver.test', options, (error, address, family = 0) => {
      if (error) return done(error.code as string);
      return done(typeof address === 'string' ? [{ address, family }] : address);
    });
  });

test.each(FORBIDDEN_ADDRESSES)(
  '%s is not public, and a name with it, alone or with others: address-not-allowed [CONTRACT §15]',
  async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    for (const list of [[address], [address, '8.8.8.8'], ['8.8.8.8', '2001:4860:4860::8888', address]]) {
      expect(await lookUp(STRICT, resolveTo(list), { all: true })).toBe('address-not-allowed');
      expect(await lookUp(STRICT, resolveTo(list), {})).toBe('address-not-allowed');
    }
  },
);

test('a name with several public addresses: the lookup resolves it once, and returns all or the first of them [CONTRACT §15]', async () => {
  const resolve = resolveTo(['8.8.8.8', '2001:4860:4860::8888']);
  expect(await lookUp(STRICT, resolve, { all: true })).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '2001:4860:4860::8888', family: 6 },
  ]);
  expect(resolve.names).toEqual(['receiver.test']);
  expect(await lookUp(STRICT, resolve, {})).toEqual([{ address: '8.8.8.8', family: 4 }]);
});

test('a name with a thousand addresses: the lookup checks all and returns the first eight', async () => {
  const addresses = Array.from({ length: 1000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`);
  const found = await lookUp(STRICT, resolveTo(addresses), { all: true });
  expect(found).toEqual(addresses.slice(0, 8).map((address) => ({ address, family: 4 })));
  expect(await lookUp(STRICT, resolveTo([...addresses, '10.0.0.1']), { all: true })).toBe('address-not-allowed');
});

test('a name other than localhost with a loopback address: permitted only with WEBHOOK_ALLOW_LOCAL, private ones never [CONTRACT §15]', async () => {
  expect(await lookUp(LOCAL, resolveTo(['127.0.0.1']), {})).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await lookUp(LOCAL, resolveTo(['::1']), {})).toEqual([{ address: '::1', family: 6 }]);
  expect(await lookUp(LOCAL, resolveTo(['127.0.0.1', '10.0.0.1']), {})).toBe('address-not-allowed');
  expect(await lookUp(LOCAL, resolveTo(['::ffff:127.0.0.1']), {})).toBe('address-not-allowed');
});

test('a name without addresses: the error of the resolver', async () => {
  expect(await lookUp(STRICT, resolveTo([]), { all: true })).toBe('name-not-resolved');
});

test('localhost, without a resolver of the test: address-not-allowed; its addresses with WEBHOOK_ALLOW_LOCAL [CONTRACT §15]', async () => {
  const lookUpLocalhost = (rules: { allowsLocal: boolean }) =>
    new Promise((done) => {
      checkedLookup(rules, SIGNAL)('localhost', { all: true }, (error, addresses) => done(error?.message ?? addresses));
    });
  expect(await lookUpLocalhost(STRICT)).toBe('The name localhost has an address that is not public.');
  expect(await lookUpLocalhost(LOCAL)).toEqual([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
});
