import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { download } from '#shared/http/download.ts';
import { keys } from '#shared/http/keys.ts';

const jwk = async (kid: string): Promise<JWK> => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
};

let server: Server;
let url: string;
let fetched: number;
let answer: RequestListener;
const serve = (...set: JWK[]) => {
  answer = (_, response) => response.end(JSON.stringify({ keys: set }));
};

beforeEach(async () => {
  fetched = 0;
  server = createServer((request, response) => {
    fetched += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/jwks.json`;
});
afterEach(() => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

/** Sets the clock this far ahead. */
const later = (milliseconds: number) => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + milliseconds);
};

type Find = ReturnType<typeof keys>;
const find = async (from: Find, kid: string) => from({ alg: 'ES256', kid }, { payload: '', signature: '' });

test('keys are fetched once, whoever asks at the same time', async () => {
  serve(await jwk('a'), await jwk('b'));
  const from = keys(url);
  expect(fetched).toBe(0);
  await Promise.all([find(from, 'a'), find(from, 'b'), find(from, 'a')]);
  await find(from, 'b');
  expect(fetched).toBe(1);
});

test('a new key is found, but an unknown one makes no second fetch within 30 s', async () => {
  serve(await jwk('a'));
  const from = keys(url);
  await find(from, 'a');
  serve(await jwk('b'));
  await expect(find(from, 'b')).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  expect(fetched).toBe(1);
  later(31_000);
  await find(from, 'b');
  expect(fetched).toBe(2);
});

test('after ten minutes keys are fetched again, so that a revoked one ends', async () => {
  serve(await jwk('a'));
  const from = keys(url);
  await find(from, 'a');
  serve(await jwk('b'));
  later(601_000);
  await expect(find(from, 'a')).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
});

test('the last keys are kept while the issuer cannot be reached, which is tried every 30 s', async () => {
  serve(await jwk('a'));
  const from = keys(url);
  await find(from, 'a');
  answer = (_, response) => response.writeHead(500).end();
  later(601_000);
  await Promise.all([find(from, 'a'), find(from, 'a')]);
  await find(from, 'a');
  expect(fetched).toBe(2);
  later(31_000);
  await find(from, 'a');
  expect(fetched).toBe(3);
});

test.each<[string, RequestListener]>([
  ['an error', (_, response) => response.writeHead(500).end('{"keys":[]}')],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['no JSON', (_, response) => response.end('<html>')],
  ['no key set', (_, response) => response.end('{}')],
  [
    'half an answer',
    (_, response) => response.writeHead(200, { 'content-length': 100 }).end('{', () => response.destroy()),
  ],
])('CONTRACT §2: with no key, %s is unavailable, and the next request tries again', async (_, broken) => {
  answer = broken;
  const from = keys(url);
  await expect(find(from, 'a')).rejects.toMatchObject({ code: 'unavailable' });
  serve(await jwk('a'));
  await find(from, 'a');
});

test('a document that takes too long is given up', async () => {
  answer = () => {};
  await expect(download(url, 50)).rejects.toThrow();
});

test('a data: URL is a document, too', async () => {
  expect(await download('data:application/json,{"keys":[]}', 1000)).toEqual({ keys: [] });
});
