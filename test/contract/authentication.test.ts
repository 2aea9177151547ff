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

describe('the claims of a token', () => {
  test.each<[string, object]>([
    ['another issuer', { iss: 'https://evil.test/' }],
    ['another audience', { aud: 'other' }],
    ['no exp', { exp: undefined }],
    ['an exp past the tolerance of 5 s', { exp: now() - 10 }],
    ['an nbf in the future', { nbf: now() + 60 }],
    ['an iat in the future', { iat: now() + 60 }],
    ['an iat that is not a number', { iat: 'yesterday' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a sub that is not a string', { sub: 7 }],
    ['no account_id', { account_id: undefined }],
    ['an empty account_id', { account_id: '' }],
    ['an account_id of 65 characters', { account_id: 'a'.repeat(65) }],
    ['an account_id with the character #', { account_id: 'acct#1' }],
    ['an account_id that is not a string', { account_id: ['acct_1'] }],
    ['a scope that is not a string', { scope: ['invoices:read'] }],
    ['a role that is not a string', { role: ['admin'] }],
    ['a role that is null', { role: null }],
  ])('a token with %s: 401 invalid_token [CONTRACT §2, CONTRACT §12]', async (_, claims) => {
    const answer = await withClaims(claims);
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing", error="invalid_token"');
  });

  test.each<[string, object]>([
    ['an exp within the tolerance of 5 s', { exp: now() - 1 }],
    ['an iat within the tolerance of 5 s', { iat: now() + 3 }],
    ['an account_id of 64 characters', { account_id: 'a'.repeat(64) }],
    ['several audiences, one of them the configured one', { aud: ['other', AUDIENCE] }],
  ])('a token with %s: accepted [CONTRACT §2]', async (_, claims) => {
    expect((await withClaims(claims)).status).toBe(200);
  });

  test.each<[string, object, number]>([
    ['a scope alone: its scopes', { role: undefined, scope: 'invoices:read' }, 200],
    ['a role alone: the scopes of the role', { role: 'viewer' }, 200],
    ['a scope and a role that both grant the operation: 200', { role: 'viewer', scope: 'invoices:read' }, 200],
    ['a role that grants it and a scope that does not: 403', { role: 'admin', scope: 'customers:read' }, 403],
    ['neither scope nor role: 403', { role: undefined }, 403],
    ['an unknown role: 403', { role: 'owner' }, 403],
    ['a role with the name of an object member: 403', { role: 'constructor' }, 403],
    ['a wildcard as scope: 403', { role: undefined, scope: 'invoices:* *' }, 403],
    ['a prefix or an extension of the scope: 403', { role: undefined, scope: 'invoices:reads invoices' }, 403],
    ['an empty scope: 403', { role: undefined, scope: '' }, 403],
  ])('a token with %s [CONTRACT §2]', async (_, claims, status) => {
    expect((await withClaims(claims)).status).toBe(status);
  });
});

describe('the Authorization header and the signature', () => {
  test('a Bearer scheme in mixed case: accepted [CONTRACT §2]', async () => {
    const token = await service.token();
    expect((await list(`bEARER ${token}`)).status).toBe(200);
  });

  test('two Authorization headers, joined by the gateway: 401 [CONTRACT §12]', async () => {
    const token = await service.token();
    expect((await list(`Bearer ${token},Bearer ${token}`)).status).toBe(401);
  });

  test.each(['Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'Bearer not.a.jwt', 'Bearer e30.e30.', 'garbage'])(
    'the header %j: 401 invalid_token [CONTRACT §2]',
    async (header) => {
      const answer = await list(header);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    },
  );

  test('a valid token with text after it: 401 [CONTRACT §2]', async () => {
    expect((await list(`Bearer ${await service.token()} x`)).status).toBe(401);
  });

  test('an altered payload, after the valid token was accepted: 401 [CONTRACT §2]', async () => {
    const good = await service.token();
    expect((await list(`Bearer ${good}`)).status).toBe(200);
    const [header, , signature] = good.split('.');
    const forged = Buffer.from(JSON.stringify({ ...usual(), account_id: 'acct_2' })).toString('base64url');
    expect((await list(`Bearer ${header}.${forged}.${signature}`)).status).toBe(401);
  });

  test.each(['HS256', 'none', 'PS256', 'ES384'])('a token with the algorithm %s: 401 [CONTRACT §2]', async (alg) => {
    const header = Buffer.from(JSON.stringify({ alg, kid: 'test-key' })).toString('base64url');
    const payload = Buffer.from(JSON.stringify(usual())).toString('base64url');
    expect((await list(`Bearer ${header}.${payload}.${alg === 'none' ? '' : 'c2ln'}`)).status).toBe(401);
  });

  test('a token signed with the public key as an HMAC secret: 401 [CONTRACT §2]', async () => {
    const jwks = await (await fetch(service.issuer.jwksUrl)).text();
    const token = await new SignJWT(usual()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(jwks));
    expect((await list(`Bearer ${token}`)).status).toBe(401);
  });

  test('a token signed with the key of another issuer under the same key id: 401 [CONTRACT §2]', async () => {
    const other = await startIssuer();
    const token = await other.sign(usual());
    await other.close();
    expect((await list(`Bearer ${token}`)).status).toBe(401);
  });
});

describe('the typ header of a token', () => {
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
  ])('typ %j: %d [CONTRACT §2]', async (typ, status) => {
    const token = await service.issuer.sign(usual(), { ...(typ !== undefined && { typ: typ as string }) });
    expect((await list(`Bearer ${token}`)).status).toBe(status);
  });
});

describe.each(['RS256', 'ES256', 'EdDSA'])('the algorithm %s', (algorithm) => {
  test('a token signed with it: accepted [CONTRACT §2]', async () => {
    const issuer = await startIssuer(algorithm);
    const other = await startService({ JWKS_URL: issuer.jwksUrl });
    const token = await issuer.sign(usual());
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    await Promise.all([issuer.close(), other.stop()]);
  });
});

describe('an unreachable JWKS', () => {
  test('no key is cached: 503 with Retry-After; a malformed token: still 401 [CONTRACT §2]', async () => {
    const other = await startService();
    const token = await other.token();
    await other.issuer.close();
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    const garbage = await other.send('/v1/invoices', { headers: { authorization: 'Bearer garbage' } });
    expect(garbage.status).toBe(401);
    await other.stop();
  });

  test('only another key is cached: 503 with Retry-After after a failed fetch [CONTRACT §2]', async () => {
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

  test('the key is cached: a new token is verified [CONTRACT §2]', async () => {
    const other = await startService();
    expect((await other.send('/v1/invoices')).status).toBe(200);
    await other.issuer.close();
    const another = await other.token({ sub: 'user_2' });
    const answer = await other.send('/v1/invoices', { headers: { authorization: `Bearer ${another}` } });
    expect(answer.status).toBe(200);
    await other.stop();
  });
});

test('ACCOUNT_CLAIM names a claim: the account is read from that claim alone [CONTRACT §2]', async () => {
  const other = await startService({ ACCOUNT_CLAIM: 'custom:account_id' });
  const claims = { account_id: undefined, 'custom:account_id': 'acct_9' };
  expect((await other.send('/v1/invoices', { claims })).status).toBe(200);
  expect((await other.send('/v1/invoices')).status).toBe(401);
  await other.stop();
});

test('expand=customer without customers:read: 403; with it: 200 [CONTRACT §2]', async () => {
  const scope = 'invoices:read';
  const refused = await service.send('/v1/invoices?expand=customer', { claims: { role: undefined, scope } });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient-scope']);
  expect(refused.headers['www-authenticate']).toContain('scope="customers:read"');
  const both = { role: undefined, scope: `${scope} customers:read` };
  expect((await service.send('/v1/invoices?expand=customer', { claims: both })).status).toBe(200);
});
