import { afterEach, expect, jest, test } from '@jest/globals';
import { NameError, resolveName } from '#shared/platform/webhooks/resolve-name.ts';
import { type Name, type NameServer, useNameServer } from '#test/support/receivers/name-server.ts';
import { until } from '#test/support/waiting/until.ts';

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

/** The time for all queries of a name passes when so many of them have ended. */
const endTimeAfter = (queries: number) => {
  const schedule = setTimeout;
  const replaced = (act: () => void, ms?: number, ...rest: []) => {
    if (ms !== 5000) return schedule(act, ms, ...rest);
    void until(() => server.questions.length >= 2 && server.endedQueries() === queries).then(act);
    return undefined;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(replaced as typeof setTimeout);
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
  server = await useNameServer({ 'receiver.test': name });
  if (name.ignores) endTimeAfter(2 - name.ignores.length);
  expect(await resolve('receiver.test')).toEqual(expected);
  const transports = name.isLong ? ['TCP', 'UDP'] : ['UDP'];
  // The resolver repeats a question after a second without a response.
  expect([...new Set(server.questions)].toSorted()).toEqual(
    transports.flatMap((transport) => [`${transport} 4 receiver.test`, `${transport} 6 receiver.test`]),
  );
});

test('a name whose server drops the question for IPv6: its IPv4 addresses, before the question is repeated twice [CONTRACT §15]', async () => {
  server = await useNameServer({ 'receiver.test': { addresses: BOTH, ignores: [6] } });
  expect(await resolve('receiver.test')).toEqual(['4 8.8.8.8', '4 8.8.4.4']);
  // The resolver repeats a question after one second and after two more; it is canceled after a fifth of a second.
  expect(server.questions.filter((question) => question.startsWith('UDP 6')).length).toBeLessThanOrEqual(2);
});

test('localhost: the loopback addresses, without a query; other names below it are queried [CONTRACT §15]', async () => {
  server = await useNameServer({});
  expect(await resolve('localhost')).toEqual(['4 127.0.0.1', '6 ::1']);
  expect(server.questions).toEqual([]);
  expect(await resolve('a.localhost')).toBe('The name a.localhost does not exist.');
});

test('a signal: cancels the queries of its own name only [CONTRACT §15]', async () => {
  const names = ['first.test', 'second.test'];
  server = await useNameServer(Object.fromEntries(names.map((name) => [name, { ignores: [4, 6] as const }])));
  endTimeAfter(Number.POSITIVE_INFINITY);
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [resolve('first.test', first.signal), resolve('second.test', second.signal)];
  const asked = (name: string) => server.questions.filter((question) => question.endsWith(name)).length;
  await until(() => asked('first.test') >= 2);
  first.abort();
  expect(await results[0]).toBe('The name first.test could not be resolved in time.');
  // The resolver repeats the questions after one second and after two more.
  await until(() => asked('second.test') >= 4);
  const before = asked('first.test');
  await until(() => asked('second.test') >= 6);
  expect(asked('first.test')).toBe(before);
  second.abort();
  expect(await results[1]).toBe('The name second.test could not be resolved in time.');
});
