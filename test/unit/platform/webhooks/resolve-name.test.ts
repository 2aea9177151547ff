import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { NameError, resolveName } from '#shared/platform/webhooks/resolve-name.ts';
import { type Name, type NameServer, useNameServer } from '#test/support/receivers/name-server.ts';

let server: NameServer;
afterEach(async () => {
  jest.restoreAllMocks();
  await server.close();
});

/** The addresses of a name in order, or the message of the error. */
const resolve = async (name: string, signal = new AbortController().signal): Promise<string[] | string> => {
  try {
    return (await resolveName(name, signal)).map(({ address, family }) => `${family} ${address}`);
  } catch (error) {
    if (error instanceof NameError && error.code === 'name-not-resolved') return error.message;
    throw error;
  }
};

/** The time for all queries of a name is 800 ms instead of 5 s: a query is repeated after a second. */
const shortenTime = () => {
  const schedule = setTimeout;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((act, ms, ...rest) => schedule(act, ms === 5000 ? 800 : ms, ...rest));
};

const BOTH = ['8.8.8.8', '2001:4860:4860::8888', '8.8.4.4'];

test.each<[condition: string, name: Name, expected: string[] | string]>([
  ['with both families', { addresses: BOTH }, ['4 8.8.8.8', '4 8.8.4.4', '6 2001:4860:4860::8888']],
  ['with IPv4 only', { addresses: ['8.8.8.8'] }, ['4 8.8.8.8']],
  ['with IPv6 only', { addresses: ['2001:4860:4860::8888'] }, ['6 2001:4860:4860::8888']],
  ['with an alias', { alias: 'other.test', addresses: ['8.8.8.8'] }, ['4 8.8.8.8']],
  ['with a response too long for UDP', { addresses: ['8.8.8.8'], isLong: true }, ['4 8.8.8.8']],
  ['without an address', {}, 'The name receiver.test has no address.'],
  ['with an alias without an address', { alias: 'other.test' }, 'The name receiver.test has no address.'],
  ['that does not exist', { code: 3 }, 'The name receiver.test does not exist.'],
  ['whose server fails', { code: 2 }, 'The name receiver.test could not be resolved.'],
  ['whose server refuses the question', { code: 5 }, 'The name receiver.test could not be resolved.'],
  ['whose server does not respond', { ignores: [4, 6] }, 'The name receiver.test could not be resolved in time.'],
  ['whose server does not respond for IPv6', { addresses: BOTH, ignores: [6] }, ['4 8.8.8.8', '4 8.8.4.4']],
  ['whose server does not respond for IPv4', { addresses: BOTH, ignores: [4] }, ['6 2001:4860:4860::8888']],
])('a name %s: its addresses, or why it has none [CONTRACT §15]', async (_, name, expected) => {
  if (name.ignores) shortenTime();
  server = await useNameServer({ 'receiver.test': name });
  expect(await resolve('receiver.test')).toEqual(expected);
  const transports = name.isLong ? ['TCP', 'UDP'] : ['UDP'];
  expect(server.questions.toSorted()).toEqual(
    transports.flatMap((transport) => [`${transport} 4 receiver.test`, `${transport} 6 receiver.test`]),
  );
});

test('localhost: the loopback addresses, without a query; other names below it are queried [CONTRACT §15]', async () => {
  server = await useNameServer({});
  expect(await resolve('localhost')).toEqual(['4 127.0.0.1', '6 ::1']);
  expect(server.questions).toEqual([]);
  expect(await resolve('a.localhost')).toBe('The name a.localhost does not exist.');
});

test('a signal: cancels the queries of its own name only [CONTRACT §15]', async () => {
  server = await useNameServer({ 'silent.test': { ignores: [4, 6] } });
  const [first, second] = [new AbortController(), new AbortController()];
  const startedAt = Date.now();
  const results = [first, second].map(({ signal }) => resolve('silent.test', signal));
  setTimeout(() => first.abort(), 100);
  expect(await results[0]).toBe('The name silent.test could not be resolved in time.');
  expect(Date.now() - startedAt).toBeLessThan(900);
  // A query is repeated after one or two seconds.
  for (let i = 0; i < 200 && server.questions.length < 6; i++) await sleep(20);
  expect(server.questions).toHaveLength(4 + 2);
  second.abort();
  expect(await results[1]).toBe('The name silent.test could not be resolved in time.');
});
