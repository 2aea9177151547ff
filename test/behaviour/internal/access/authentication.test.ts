import { afterAll, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { AUDIENCE, createIssuer, ISSUER, startIssuer } from '#test/support/service/issuer.ts';
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
const listAs = async (claims: object, header: object = {}) =>
  list(`Bearer ${await service.issuer.sign({ ...usual(), ...claims }, header)}`);

test('neither scope nor role: 403, and detail names both claims [CONTRACT §2]', async () => {
  const { status, json } = await listAs({ role: undefined });
  const detail = 'The token does not permit invoices:read: it has no claim scope or role.';
  expect([status, json.detail]).toEqual([403, detail]);
});

test('several audiences, one of them the configured one: accepted [CONTRACT §2]', async () => {
  expect((await listAs({ aud: ['other', AUDIENCE] })).status).toBe(200);
});

test('a token signed with the public key as an HMAC secret: 401 [CONTRACT §2]', async () => {
  const jwks = await (await fetch(service.issuer.keys)).text();
  const token = await new SignJWT(usual()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(jwks));
  expect((await list(`Bearer ${token}`)).status).toBe(401);
});

test('the typ header of a token: absent, JWT or at+jwt; any other: 401 [CONTRACT §2]', async () => {
  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+JWT'])
    expect([typ, (await listAs({}, { ...(typ !== undefined && { typ }) })).status]).toEqual([typ, 200]);
  for (const typ of ['application/jwt', 'application/at+jwt; x=y', 'logout+jwt', 'dpop+jwt', '', 7, null])
    expect([typ, (await listAs({}, { typ })).status]).toEqual([typ, 401]);
});

const listWith = (own: LocalService, token: string) =>
  own.send('/v1/invoices', { headers: { authorization: `Bearer ${token}` } });

test.each(['RS256', 'ES256', 'EdDSA'])('a token signed with %s: accepted [CONTRACT §2]', async (algorithm) => {
  const issuer = await createIssuer(algorithm);
  const own = await startService({ JWKS_URL: issuer.keys });
  const { status } = await listWith(own, await issuer.sign(usual()));
  await own.stop();
  expect(status).toBe(200);
});

test('no key is cached and the JWKS is unreachable: 503 with Retry-After; a malformed token: still 401 [CONTRACT §2]', async () => {
  const issuer = await startIssuer();
  const own = await startService({ JWKS_URL: issuer.jwksUrl }, { issuer });
  await issuer.close();
  const { status, json, headers } = await listWith(own, await issuer.sign(usual()));
  const malformed = await listWith(own, 'garbage');
  await own.stop();
  expect([status, json.code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
  expect(malformed.status).toBe(401);
});
