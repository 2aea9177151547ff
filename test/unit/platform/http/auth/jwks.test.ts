import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import { remoteJwks } from '#shared/platform/http/auth/jwks.ts';
import { fetchJson } from '#shared/platform/workarounds/fetch-json.ts';
import { identity } from '#shared/runtime/settings.ts';

const jwk = async (kid: string): Promise<JWK> => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
};

let server: Server;
let url: string;
let fetchCount: number;
let answer: RequestListener;
const serve = (...set: JWK[]) => {
  answer = (_, response) => response.end(JSON.stringify({ keys: set }));
};

beforeEach(async () => {
  fetchCount = 0;
  server = createServer((request, response) => {
    fetchCount += 1;
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

const advanceClock = (milliseconds: number) => {
  const now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now + milliseconds);
};

type Find = ReturnType<typeof remoteJwks>;
const find = async (from: Find, kid: string) => from({ alg: 'ES256', kid }, { payload: '', signature: '' });

const down: RequestListener = (_, response) => response.writeHead(500).end();

test('concurrent look-ups of keys: one fetch', async () => {
  serve(await jwk('a'), await jwk('b'));
  const from = remoteJwks(url);
  expect(fetchCount).toBe(0);
  await Promise.all([find(from, 'a'), find(from, 'b'), find(from, 'a')]);
  await find(from, 'b');
  expect(fetchCount).toBe(1);
});

test('unknown keys during a minute, while fetches succeed or fail: at most a fetch in 5 s [CONTRACT §2]', async () => {
  for (const outcome of ['succeed', 'fail']) {
    serve(await jwk('a'));
    const from = remoteJwks(url);
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => start);
    await find(from, 'a');
    if (outcome === 'fail') answer = down;
    fetchCount = 0;
    for (let ms = 0; ms < 60_000; ms += 500) {
      clock.mockImplementation(() => start + ms);
      await expect(find(from, `new ${ms}`)).rejects.toThrow();
      await find(from, 'a');
    }
    expect([outcome, fetchCount]).toEqual([outcome, 11]);
    clock.mockRestore();
  }
});

test('an issuer that cannot be reached: the cached keys stay, and a fetch is tried every 30 s', async () => {
  serve(await jwk('a'));
  const from = remoteJwks(url);
  await find(from, 'a');
  answer = (_, response) => response.writeHead(500).end();
  advanceClock(601_000);
  await Promise.all([find(from, 'a'), find(from, 'a')]);
  await find(from, 'a');
  advanceClock(29_000);
  await find(from, 'a');
  expect(fetchCount).toBe(2);
  advanceClock(2000);
  await find(from, 'a');
  expect(fetchCount).toBe(3);
});

const respondWith =
  (set: unknown): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify(set));

test.each<[string, RequestListener]>([
  ['an error', (_, response) => response.writeHead(500).end('{"keys":[]}')],
  ['a redirect', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['a text that is no JSON', (_, response) => response.end('<html>')],
  ['half', (_, response) => response.writeHead(200, { 'content-length': 100 }).end('{', () => response.destroy())],
  ['an empty set', respondWith({ keys: [] })],
  ['a set without keys', respondWith({})],
  ['a set of keys without a type', respondWith({ keys: [{ kid: 'old' }] })],
  ['a set that is null', respondWith(null)],
  ['a set whose keys are strings', respondWith({ keys: ['old'] })],
])(
  '%s from the issuer: the good set stays; another key, or any without a good set, is unavailable [CONTRACT §2]',
  async (_, broken) => {
    let failures = 0;
    answer = broken;
    const from = remoteJwks(url, () => {
      failures += 1;
    });
    await expect(find(from, 'old')).rejects.toMatchObject({ code: 'unavailable' });
    serve(await jwk('old'));
    await find(from, 'old');
    answer = broken;
    advanceClock(601_000);
    await find(from, 'old');
    await expect(find(from, 'new')).rejects.toMatchObject({ code: 'unavailable' });
    expect([fetchCount, failures]).toEqual([3, 2]);
  },
);

test('a key that is not cached, while the fetch fails or has failed within 5 s: unavailable [CONTRACT §2]', async () => {
  serve(await jwk('old'));
  const from = remoteJwks(url);
  await find(from, 'old');
  answer = down;
  advanceClock(5001);
  await expect(find(from, 'new')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(find(from, 'new')).rejects.toMatchObject({ code: 'unavailable' });
  expect(fetchCount).toBe(2);
  await find(from, 'old');
  serve(await jwk('old'), await jwk('new'));
  advanceClock(5001);
  await find(from, 'new');
  await expect(find(from, 'unknown')).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
});

const verifierOf = () => createVerifier(identity({ ISSUER: 'i', AUDIENCE: 'x', JWKS_URL: url }), {});

interface Signer {
  readonly jwk: JWK;
  /** Signs a token, with or without a `kid`. */
  readonly sign: (kid?: string) => Promise<string>;
}
const signer = async (): Promise<Signer> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const exp = Math.floor(Date.now() / 1000) + 600;
  const payload = { account_id: 'acct_1', sub: 'user_1', iss: 'i', aud: 'x', exp };
  const sign = (kid?: string) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...(kid && { kid }) }).sign(privateKey);
  return { jwk: await exportJWK(publicKey), sign };
};
const verifyNow = (verify: ReturnType<typeof verifierOf>, token: string) =>
  verify(token, Math.floor(Date.now() / 1000));

test('a key of the issuer that cannot be read: the detail does not call the token malformed [CONTRACT §10]', async () => {
  serve({ ...(await jwk('a')), x: 'a' });
  const detail = 'The access token cannot be verified.';
  const verified = verifyNow(verifierOf(), await (await signer()).sign('a'));
  await expect(verified).rejects.toMatchObject({ code: 'unauthenticated', details: { detail } });
});

test('a token that was verified before its key was withdrawn: refused once a set without the key was fetched', async () => {
  const [a, b] = [await signer(), await signer()];
  const verify = verifierOf();
  const withdrawn = await a.sign('a');
  serve({ ...a.jwk, kid: 'a' });
  await verifyNow(verify, withdrawn);
  serve({ ...b.jwk, kid: 'b' });
  await verifyNow(verify, withdrawn);
  const now = Math.floor(Date.now() / 1000);
  advanceClock(5001);
  await verify(await b.sign('b'), now);
  await expect(verify(withdrawn, now)).rejects.toMatchObject({ code: 'unauthenticated' });
});

describe('a token without kid', () => {
  test('several keys of the issuer, in any order: the token is verified with the key that signed it [CONTRACT §2]', async () => {
    const [a, b, c] = [await signer(), await signer(), await signer()];
    for (const keys of [[a], [a, b], [b, a], [b, c, a]]) {
      serve(...keys.map(({ jwk }) => jwk));
      expect(await verifyNow(verifierOf(), await a.sign())).toMatchObject({ sub: 'user_1' });
    }
  });

  test('a key that the issuer has added: verified once the set was fetched again [CONTRACT §2]', async () => {
    const [old, added] = [await signer(), await signer()];
    serve(old.jwk);
    const verify = verifierOf();
    await verifyNow(verify, await old.sign());
    serve(added.jwk, old.jwk);
    const token = await added.sign();
    const now = Math.floor(Date.now() / 1000);
    await expect(verify(token, now)).rejects.toMatchObject({ code: 'unauthenticated' });
    advanceClock(5001);
    expect(await verify(token, now)).toMatchObject({ sub: 'user_1' });
    expect(fetchCount).toBe(2);
  });

  test('a token signed with an unknown key, and many keys of the issuer: 401 after eight keys [CONTRACT §2]', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, signer));
    serve(...keys.map(({ jwk }) => jwk));
    const verifications = jest.spyOn(crypto.subtle, 'verify');
    await expect(verifyNow(verifierOf(), await (await signer()).sign())).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(verifications).toHaveBeenCalledTimes(8);
  });
});

test('a token whose kid names another key: 401 after a check with this key alone [CONTRACT §2]', async () => {
  const [a, b] = [await signer(), await signer()];
  serve({ ...a.jwk, kid: 'a' }, { ...b.jwk, kid: 'b' });
  const verifications = jest.spyOn(crypto.subtle, 'verify');
  await expect(verifyNow(verifierOf(), await a.sign('b'))).rejects.toMatchObject({ code: 'unauthenticated' });
  expect([verifications.mock.calls.length, fetchCount]).toEqual([1, 1]);
});

test('a document that takes longer than the timeout: the download fails', async () => {
  answer = () => {};
  await expect(fetchJson(url, 50)).rejects.toThrow();
});
