import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { Refusal } from '#shared/domain/refusal.ts';
import { keys } from '#shared/http/keys.ts';

let server: Server;
let served: () => { status: number; body: string };
let fetched: number;
let url: string;
let now: number;

const pairs = new Map<string, CryptoKey>();
const jwk = async (kid: string): Promise<JWK> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  pairs.set(kid, privateKey);
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
};
const serve = (...set: JWK[]) => {
  served = () => ({ status: 200, body: JSON.stringify({ keys: set }) });
};
const verify = async (find: ReturnType<typeof keys>, kid: string): Promise<string> => {
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid }).sign(pairs.get(kid) as CryptoKey);
  try {
    await jwtVerify(token, find);
    return 'verified';
  } catch (error) {
    return error instanceof Refusal ? error.code : (error as Error).name;
  }
};

beforeEach(async () => {
  fetched = 0;
  server = createServer((_, response) => {
    fetched++;
    const { status, body } = served();
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/jwks`;
  now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await new Promise((resolve) => server.close(resolve));
});

describe('CONTRACT §2: the issuer’s keys', () => {
  test('are fetched when they are needed, once for many, and again after ten minutes', async () => {
    serve(await jwk('a'));
    const find = keys(url);
    expect(fetched).toBe(0);
    expect(await Promise.all([verify(find, 'a'), verify(find, 'a'), verify(find, 'a')])).toEqual(
      Array(3).fill('verified'),
    );
    now += 599_000;
    await verify(find, 'a');
    expect(fetched).toBe(1);
    now += 2000;
    expect(await verify(find, 'a')).toBe('verified');
    expect(fetched).toBe(2);
  });

  test('an unknown key is looked for again, but not more often than every 30 s', async () => {
    const [a, b] = [await jwk('a'), await jwk('b')];
    serve(a);
    const find = keys(url);
    await verify(find, 'a');
    serve(a, b);
    expect(await verify(find, 'b')).toBe('JWKSNoMatchingKey');
    expect(fetched).toBe(1);
    now += 31_000;
    expect(await verify(find, 'b')).toBe('verified');
    expect(fetched).toBe(2);
  });

  test('a key that the issuer has withdrawn is not accepted once the keys are fetched again', async () => {
    serve(await jwk('a'));
    const find = keys(url);
    await verify(find, 'a');
    serve(await jwk('b'));
    now += 601_000;
    expect(await verify(find, 'a')).toBe('JWKSNoMatchingKey');
  });

  test.each<[string, () => { status: number; body: string }]>([
    ['answers 500', () => ({ status: 500, body: '{}' })],
    ['redirects', () => ({ status: 302, body: '' })],
    ['answers no JSON', () => ({ status: 200, body: '<html>' })],
    ['answers no key set', () => ({ status: 200, body: '{"keys":1}' })],
  ])('an issuer that %s is unavailable, and with earlier keys at hand they serve on', async (_, broken) => {
    served = broken;
    const a = await jwk('a');
    expect(await verify(keys(url), 'a')).toBe('unavailable');
    serve(a);
    const find = keys(url);
    await verify(find, 'a');
    served = broken;
    now += 601_000;
    expect(await verify(find, 'a')).toBe('verified');
    serve(a);
    expect(await verify(find, 'a')).toBe('verified');
  });

  test('may stand in a data: URL, which reaches no network', async () => {
    const set = JSON.stringify({ keys: [await jwk('a')] });
    expect(await verify(keys(`data:application/json,${encodeURIComponent(set)}`), 'a')).toBe('verified');
    expect(fetched).toBe(0);
  });
});
