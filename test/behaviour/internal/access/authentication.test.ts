import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { SignJWT } from 'jose';
import type { Answer } from '#test/support/service/client.ts';
import { AUDIENCE, createIssuer, ISSUER, type RunningIssuer, startIssuer } from '#test/support/service/issuer.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

const service = await startService();
afterAll(() => service.stop());

const now = () => Math.floor(Date.now() / 1000);
const usual = () => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'user_1',
  account_id: 'acct_1',
  role: 'admin',
  iat: now(),
  exp: now() + 60,
});
const list = (authorization: string | undefined) => service.send('/v1/invoices', { headers: { authorization } });
const withClaims = async (claims: object) => list(`Bearer ${await service.issuer.sign({ ...usual(), ...claims })}`);

describe('the claims of a token', () => {
  test.each(['exp', 'sub', 'account_id'])('a token without %s: 401 invalid_token [CONTRACT §2]', async (name) => {
    const answer = await withClaims({ [name]: undefined });
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer realm="invoicing", resource_metadata="http://localhost/.well-known/oauth-protected-resource", error="invalid_token"',
    );
  });

  test.each([
    ['nbf in ten minutes', () => ({ nbf: now() + 600 }), 'is not valid yet: its claim nbf is later'],
    ['iat in ten minutes', () => ({ iat: now() + 600 }), 'is not valid yet: its claim iat is later'],
    ['nbf that is a text', () => ({ nbf: 'tomorrow' }), 'claim nbf of the access token is not a number'],
    ['iat that is a text', () => ({ iat: 'tomorrow' }), 'claim iat of the access token is not a number'],
    ['exp ten minutes ago', () => ({ exp: now() - 600 }), 'has expired'],
  ])('an %s: 401 whose detail says why [CONTRACT §2]', async (_, claims, reason) => {
    const { status, json } = await withClaims(claims());
    expect([status, json.detail]).toEqual([401, expect.stringContaining(reason)]);
  });

  test('an nbf within the tolerance of 5 s: accepted [CONTRACT §2]', async () => {
    expect((await withClaims({ nbf: now() + 3 })).status).toBe(200);
  });

  test('several audiences, among them the configured audience: accepted [CONTRACT §2]', async () => {
    expect((await withClaims({ aud: ['other', AUDIENCE] })).status).toBe(200);
  });

  test('neither scope nor role: 403, and detail names both claims [CONTRACT §2]', async () => {
    const { status, json } = await withClaims({ role: undefined });
    expect([status, json.detail]).toEqual([
      403,
      'The token does not permit invoices:read: it has no claim scope or role.',
    ]);
  });
});

test('a token signed with the public key as an HMAC secret: 401 [CONTRACT §2]', async () => {
  const jwks = await (await fetch(service.issuer.keys)).text();
  const token = await new SignJWT(usual()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(jwks));
  expect((await list(`Bearer ${token}`)).status).toBe(401);
});

describe('the typ header of a token', () => {
  test.each<[unknown, number]>([
    [undefined, 200],
    ['JWT', 200],
    ['jwt', 200],
    ['at+jwt', 200],
    ['AT+JWT', 200],
    ['application/at+jwt', 200],
    ['Application/AT+JWT', 200],
    ['application/jwt', 401],
    ['application/at+jwt; x=y', 401],
    ['logout+jwt', 401],
    ['dpop+jwt', 401],
    ['', 401],
    [7, 401],
    [null, 401],
  ])('typ %j: %d [CONTRACT §2]', async (typ, status) => {
    const token = await service.issuer.sign(usual(), { ...(typ !== undefined && { typ: typ as string }) });
    expect((await list(`Bearer ${token}`)).status).toBe(status);
  });
});

/** Starts a service of its own. */
const withService = async (settings: Readonly<Record<string, string>>, check: (own: LocalService) => Promise<void>) => {
  const own = await startService(settings);
  await check(own).finally(() => own.stop());
};
const listWith = (own: LocalService, token: string) =>
  own.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
const expectUnavailable = ({ status, json, headers }: Answer) =>
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);

test.each(['RS256', 'ES256', 'EdDSA'])('a token signed with %s: accepted [CONTRACT §2]', async (algorithm) => {
  const issuer = await createIssuer(algorithm);
  await withService({ JWKS_URL: issuer.keys }, async (own) => {
    expect((await listWith(own, await issuer.sign(usual()))).status).toBe(200);
  });
});

describe('an unreachable JWKS', () => {
  let issuer: RunningIssuer;
  let own: LocalService;
  beforeEach(async () => {
    issuer = await startIssuer();
    own = await startService({ JWKS_URL: issuer.jwksUrl }, { issuer });
  });
  afterEach(() => Promise.all([own.stop(), issuer.close()]));

  const listAs = async (claims: object = {}, header = {}) =>
    listWith(own, await issuer.sign({ ...usual(), ...claims }, header));

  test('no key is cached: 503 with Retry-After; a malformed token: still 401 [CONTRACT §2]', async () => {
    await issuer.close();
    expectUnavailable(await listAs());
    expect((await listWith(own, 'garbage')).status).toBe(401);
  });

  test('only another key is cached: 503 with Retry-After after a failed fetch [CONTRACT §2]', async () => {
    expect((await listAs()).status).toBe(200);
    await issuer.close();
    const clock = Date.now();
    const spy = jest.spyOn(Date, 'now').mockImplementation(() => clock + 5001);
    const answer = await listAs({}, { kid: 'new-key' });
    spy.mockRestore();
    expectUnavailable(answer);
  });

  test('the key is cached: a new token is verified [CONTRACT §2]', async () => {
    expect((await listAs()).status).toBe(200);
    await issuer.close();
    expect((await listAs({ sub: 'user_2' })).status).toBe(200);
  });
});

test('ACCOUNT_CLAIM names a claim: the account is read from that claim alone [CONTRACT §2]', () =>
  withService({ ACCOUNT_CLAIM: 'custom:account_id' }, async (own) => {
    const claims = { account_id: undefined, 'custom:account_id': 'acct_9' };
    expect((await own.send('/v1/invoices', { as: { claims } })).status).toBe(200);
    expect((await own.send('/v1/invoices')).status).toBe(401);
  }));
