import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { AUDIENCE, ISSUER, startIssuer } from '#test/support/issuer.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
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

describe('CONTRACT §2: claims', () => {
  test.each<[string, object]>([
    ['another issuer', { iss: 'https://evil.test/' }],
    ['another audience', { aud: 'other' }],
    ['no exp', { exp: undefined }],
    ['an exp past the tolerance of 5 s', { exp: now() - 10 }],
    ['an nbf in the future', { nbf: now() + 60 }],
    ['an iat in the future', { iat: now() + 60 }],
    ['an iat that is no number', { iat: 'yesterday' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a sub that is no string', { sub: 7 }],
    ['no account_id', { account_id: undefined }],
    ['an empty account_id', { account_id: '' }],
    ['an account_id of 65 characters', { account_id: 'a'.repeat(65) }],
    ['an account_id with another character', { account_id: 'acct#1' }],
    ['an account_id that is no string', { account_id: ['acct_1'] }],
    ['a scope that is no string', { scope: ['invoices:read'] }],
    ['a role that is no string', { role: ['admin'] }],
    ['a role that is null', { role: null }],
  ])('a token with %s is 401', async (_, claims) => {
    const answer = await withClaims(claims);
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing", error="invalid_token"');
  });

  test.each<[string, object]>([
    ['an exp within the tolerance of 5 s', { exp: now() - 1 }],
    ['an iat within the tolerance of 5 s', { iat: now() + 3 }],
    ['an account_id of 64 characters', { account_id: 'a'.repeat(64) }],
    ['an audience among others', { aud: ['other', AUDIENCE] }],
  ])('a token with %s is accepted', async (_, claims) => {
    expect((await withClaims(claims)).status).toBe(200);
  });

  test.each<[string, object, number]>([
    ['scope alone', { role: undefined, scope: 'invoices:read' }, 200],
    ['role alone', { role: 'viewer' }, 200],
    ['scope and role: what both grant', { role: 'viewer', scope: 'invoices:read' }, 200],
    ['scope and role: not what only the role grants', { role: 'admin', scope: 'customers:read' }, 403],
    ['neither', { role: undefined }, 403],
    ['an unknown role', { role: 'owner' }, 403],
    ['a role that names an object’s member', { role: 'constructor' }, 403],
    ['no wildcard', { role: undefined, scope: 'invoices:* *' }, 403],
    ['no prefix', { role: undefined, scope: 'invoices:reads invoices' }, 403],
    ['an empty scope', { role: undefined, scope: '' }, 403],
  ])('effective permissions of %s', async (_, claims, status) => {
    expect((await withClaims(claims)).status).toBe(status);
  });
});

describe('CONTRACT §2: the header and the signature', () => {
  test('the scheme is case-insensitive', async () => {
    const token = await service.token();
    expect((await list(`bEARER ${token}`)).status).toBe(200);
  });

  test('two Authorization headers, which the gateway joins, are 401 (CONTRACT §12)', async () => {
    const token = await service.token();
    expect((await list(`Bearer ${token},Bearer ${token}`)).status).toBe(401);
  });

  test.each(['Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'Bearer not.a.jwt', 'Bearer e30.e30.', 'garbage'])(
    '%j is 401',
    async (header) => {
      const answer = await list(header);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    },
  );

  test('a valid token with something behind it is 401', async () => {
    expect((await list(`Bearer ${await service.token()} x`)).status).toBe(401);
  });

  test('an altered payload is 401, also right after the good token was seen', async () => {
    const good = await service.token();
    expect((await list(`Bearer ${good}`)).status).toBe(200);
    const [header, , signature] = good.split('.');
    const forged = Buffer.from(JSON.stringify({ ...usual(), account_id: 'acct_2' })).toString('base64url');
    expect((await list(`Bearer ${header}.${forged}.${signature}`)).status).toBe(401);
  });

  test.each(['HS256', 'none', 'PS256', 'ES384'])('the algorithm %s is 401', async (alg) => {
    const header = Buffer.from(JSON.stringify({ alg, kid: 'test-key' })).toString('base64url');
    const payload = Buffer.from(JSON.stringify(usual())).toString('base64url');
    expect((await list(`Bearer ${header}.${payload}.${alg === 'none' ? '' : 'c2ln'}`)).status).toBe(401);
  });

  test('a token signed with the public key as an HMAC secret is 401', async () => {
    const jwks = await (await fetch(service.issuer.jwksUrl)).text();
    const token = await new SignJWT(usual()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(jwks));
    expect((await list(`Bearer ${token}`)).status).toBe(401);
  });

  test('another issuer’s key under the same id is 401', async () => {
    const other = await startIssuer();
    const token = await other.sign(usual());
    await other.close();
    expect((await list(`Bearer ${token}`)).status).toBe(401);
  });
});

describe('the typ header [CONTRACT §2]', () => {
  test.each<[unknown, number]>([
    [undefined, 200],
    ['JWT', 200],
    ['jwt', 200],
    ['at+jwt', 200],
    ['AT+JWT', 200],
    ['application/at+jwt', 401],
    ['logout+jwt', 401],
    ['dpop+jwt', 401],
    ['', 401],
    [7, 401],
    [null, 401],
  ])('%j: %d', async (typ, status) => {
    const token = await service.issuer.sign(usual(), { ...(typ !== undefined && { typ: typ as string }) });
    expect((await list(`Bearer ${token}`)).status).toBe(status);
  });
});

describe.each(['RS256', 'ES256', 'EdDSA'])('CONTRACT §2: %s', (algorithm) => {
  test('is an accepted algorithm', async () => {
    const issuer = await startIssuer(algorithm);
    const other = await startService({ JWKS_URL: issuer.jwksUrl });
    const token = await issuer.sign(usual());
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    await Promise.all([issuer.close(), other.stop()]);
  });
});

describe('CONTRACT §2: JWKS unreachable', () => {
  test('with no usable cached key it is 503 with Retry-After, never 401', async () => {
    const other = await startService();
    const token = await other.token();
    await other.issuer.close();
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    const garbage = await other.send('/v1/invoices', { headers: { authorization: 'Bearer garbage' } });
    expect(garbage.status).toBe(401);
    await other.stop();
  });

  test('with a cached key, but not the token’s: 503 with Retry-After once a fetch has failed', async () => {
    const other = await startService();
    expect((await other.send('/v1/invoices')).status).toBe(200);
    await other.issuer.close();
    const token = await other.issuer.sign(usual(), { kid: 'new-key' });
    const clock = Date.now();
    const spy = jest.spyOn(Date, 'now').mockImplementation(() => clock + 31_000);
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
    spy.mockRestore();
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    await other.stop();
  });

  test('with a cached key tokens are still verified', async () => {
    const other = await startService();
    expect((await other.send('/v1/invoices')).status).toBe(200);
    await other.issuer.close();
    const another = await other.token({ sub: 'user_2' });
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${another}` } });
    expect(answer.status).toBe(200);
    await other.stop();
  });
});

test('CONTRACT §2: the claim names are configurable', async () => {
  const other = await startService({ ACCOUNT_CLAIM: 'custom:account_id' });
  const claims = { account_id: undefined, 'custom:account_id': 'acct_9' };
  expect((await other.send('/v1/invoices', { claims })).status).toBe(200);
  expect((await other.send('/v1/invoices')).status).toBe(401);
  await other.stop();
});

test('CONTRACT §2: expand=customer also needs customers:read', async () => {
  const scope = 'invoices:read';
  const refused = await service.send('/v1/invoices?expand=customer', { claims: { role: undefined, scope } });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient-scope']);
  expect(refused.headers['www-authenticate']).toContain('scope="customers:read"');
  const both = { role: undefined, scope: `${scope} customers:read` };
  expect((await service.send('/v1/invoices?expand=customer', { claims: both })).status).toBe(200);
});
