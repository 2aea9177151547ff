import { expect } from 'expect';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { resources } from '#shared/invoicing/index.ts';
import { isWrite, routeOf } from '#shared/platform/endpoint.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Caller, Service } from '#test/acceptance/suite/service.ts';
import { operations } from '#test/support/requests/requests.ts';
import { outcome } from '../support/requests.ts';

/** As the list of resources declares it, for a resource that CONTRACT §2 does not name. */
const writerOf = (collection: string): string =>
  Object.values<{ collection: string; writer?: string }>(resources).find((entry) => entry.collection === collection)
    ?.writer ?? 'nobody';

const list = (service: Service, as: Caller) => service.send('/v1/invoices', { as });
const listWith = (service: Service, authorization: string) =>
  service.send('/v1/invoices', { as: 'nobody', headers: { authorization } });

const expectInvalid = (answer: Answer) => {
  expect(outcome(answer)).toEqual([401, 'unauthenticated']);
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing", error="invalid_token"');
};

const seconds = () => Math.floor(Date.now() / 1000);

const INVALID: readonly (readonly [condition: string, claims: () => object])[] = [
  ['another issuer', () => ({ iss: 'https://issuer.invalid/' })],
  ['another audience', () => ({ aud: 'other' })],
  ['an exp that is null', () => ({ exp: null })],
  ['an exp past the tolerance of 5 s', () => ({ exp: seconds() - 30 })],
  ['an nbf in the future', () => ({ nbf: seconds() + 600 })],
  ['an iat in the future', () => ({ iat: seconds() + 600 })],
  ['an iat that is not a number', () => ({ iat: 'yesterday' })],
  ['a sub that is null', () => ({ sub: null })],
  ['an empty sub', () => ({ sub: '' })],
  ['a sub that is not a string', () => ({ sub: 7 })],
  ['a sub of 1,001 characters', () => ({ sub: 'a'.repeat(1001) })],
  ['a sub with U+0000', () => ({ sub: 'a\0b' })],
  ['a sub with a lone surrogate', () => ({ sub: 'a\ud800b' })],
  ['an account_id that is null', () => ({ account_id: null })],
  ['an empty account_id', () => ({ account_id: '' })],
  ['an account_id of 65 characters', () => ({ account_id: 'a'.repeat(65) })],
  ['an account_id with the character #', () => ({ account_id: 'acct#1' })],
  ['an account_id that is not a string', () => ({ account_id: ['acct_1'] })],
  ['a scope that is not a string', () => ({ scope: ['invoices:read'] })],
  ['a role that is not a string', () => ({ role: ['admin'] })],
  ['a role that is null', () => ({ role: null })],
];

const ACCEPTED: readonly (readonly [condition: string, caller: () => Caller])[] = [
  ['an exp within the tolerance of 5 s', () => ({ claims: { exp: seconds() - 1 } })],
  ['an iat within the tolerance of 5 s', () => ({ claims: { iat: seconds() + 3 } })],
  ['a sub of 1,000 characters of two code units', () => ({ claims: { sub: '😀'.repeat(1000) } })],
  ['an account_id of 64 characters', () => ({ claims: { account_id: 'a'.repeat(64) } })],
];

const PERMISSIONS: readonly (readonly [condition: string, caller: Caller, status: number])[] = [
  ['a scope alone', { scope: 'invoices:read' }, 200],
  ['a role alone', { role: 'viewer' }, 200],
  ['a scope and a role that both grant the operation', { role: 'viewer', scope: 'invoices:read' }, 200],
  ['several scopes', { scope: 'customers:read invoices:read' }, 200],
  ['a role that grants the operation and a scope that does not', { role: 'admin', scope: 'customers:read' }, 403],
  ['a scope that grants the operation and an unknown role', { role: 'owner', scope: 'invoices:read' }, 403],
  ['an unknown role', { role: 'owner' }, 403],
  ['a role with the name of an object member', { role: 'constructor' }, 403],
  ['a wildcard as scope', { scope: 'invoices:* *' }, 403],
  ['a prefix and an extension of the scope', { scope: 'invoices:reads invoices' }, 403],
  ['the scope in upper case', { scope: 'INVOICES:READ' }, 403],
  ['an empty scope', { scope: '' }, 403],
];

/** The least role that may write a collection; the roles before it may not (CONTRACT §2). */
const WRITERS: Readonly<Record<string, string>> = {
  customers: 'clerk',
  invoices: 'clerk',
  'invoice-items': 'clerk',
  payments: 'clerk',
  refunds: 'accountant',
  exports: 'accountant',
  'webhook-endpoints': 'admin',
  'webhook-deliveries': 'admin',
};
const ROLES = ['viewer', 'clerk', 'accountant', 'admin'];
const writes = operations.filter(([, operation]) => isWrite(operation));
const lists = operations.flatMap(([, { list, route }]) => (list && !route.includes('{') ? [route.split(' ')[1]] : []));

const HEADERS = ['Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'Bearer not.a.jwt', 'Bearer e30.e30.', 'garbage'];

const partsOf = (token: string): [header: JWTPayload & { alg: string }, payload: JWTPayload, signature: string] => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return [decode(header), decode(payload), signature];
};
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

const signature = [
  check('CONTRACT §2', 'an altered payload under a valid signature: 401', async (service) => {
    const token = await service.token();
    expect((await listWith(service, `Bearer ${token}`)).status).toBe(200);
    const [header, payload, signed] = partsOf(token);
    const forged = encode({ ...payload, account_id: 'acct_2' });
    expectInvalid(await listWith(service, `Bearer ${encode(header)}.${forged}.${signed}`));
  }),
  ...['HS256', 'none', 'PS256', 'ES384'].map((alg) =>
    check('CONTRACT §2', `a token with the algorithm ${alg}: 401`, async (service) => {
      const [header, payload] = partsOf(await service.token());
      const signed = alg === 'none' ? '' : 'c2ln';
      expectInvalid(await listWith(service, `Bearer ${encode({ ...header, alg })}.${encode(payload)}.${signed}`));
    }),
  ),
  check('CONTRACT §2', 'a token signed with another key under the same key id: 401', async (service) => {
    const [header, payload] = partsOf(await service.token());
    const { privateKey } = await generateKeyPair(header.alg);
    const forged = await new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
    expectInvalid(await listWith(service, `Bearer ${forged}`));
  }),
];

const header = [
  ...['bEARER ', 'Bearer  ', 'bearer    '].map((scheme) =>
    check('CONTRACT §2', `"${scheme}" before a token: 200`, async (service) => {
      expect((await listWith(service, `${scheme}${await service.token()}`)).status).toBe(200);
    }),
  ),
  ...['Bearer', 'Bearer\t', 'Bearer Bearer ', 'Bearer: '].map((scheme) =>
    check('CONTRACT §2', `${JSON.stringify(scheme)} before a token: 401`, async (service) => {
      expectInvalid(await listWith(service, `${scheme}${await service.token()}`));
    }),
  ),
  check('CONTRACT §12', 'two Authorization values, joined by a comma: 401', async (service) => {
    const token = await service.token();
    expectInvalid(await listWith(service, `Bearer ${token},Bearer ${token}`));
  }),
  check('CONTRACT §2', 'a valid token with text after it: 401', async (service) => {
    expectInvalid(await listWith(service, `Bearer ${await service.token()} x`));
  }),
  ...HEADERS.map((value) =>
    check('CONTRACT §2', `the Authorization header ${JSON.stringify(value)}: 401`, async (service) =>
      expectInvalid(await listWith(service, value)),
    ),
  ),
];

const roles = [
  ...ROLES.map((role) =>
    check('CONTRACT §2', `the role ${role}: reads every collection`, async (service) => {
      for (const path of lists) expect((await service.send(`/v1${path}`, { as: { role } })).status).toBe(200);
    }),
  ),
  ...[...Map.groupBy(writes, ([name]) => name.split('/')[0] ?? '')].map(([collection, own]) => {
    const least = WRITERS[collection] ?? writerOf(collection);
    return check(
      'CONTRACT §2',
      `a write of ${collection}: 403 for a role below ${least}, permitted from ${least} on`,
      async (service) => {
        for (const [name, operation] of own) {
          const { method, path } = routeOf(operation);
          const sent = { method, ...(operation.body && { body: { nonsense: 1 } }) };
          for (const role of ROLES) {
            const { status } = await service.send(`/v1${path.replace(/\{\w+\}/, '1')}`, { ...sent, as: { role } });
            const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(least);
            expect([name, role, status === 403]).toEqual([name, role, !isPermitted]);
          }
        }
      },
    );
  }),
  check('CONTRACT §2', 'expand=customer without customers:read: 403; with it: 200', async (service) => {
    const target = '/v1/invoices?expand=customer';
    const refused = await service.send(target, { as: { scope: 'invoices:read' } });
    expect(outcome(refused)).toEqual([403, 'insufficient-scope']);
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="invoicing", error="insufficient_scope", scope="customers:read"',
    );
    expect((await service.send(target, { as: { scope: 'invoices:read customers:read' } })).status).toBe(200);
  }),
];

export const tokens: Group = {
  name: 'Tokens, roles and scopes',
  checks: [
    ...INVALID.map(([condition, claims]) =>
      check('CONTRACT §2', `a token with ${condition}: 401 invalid_token`, async (service) =>
        expectInvalid(await list(service, { claims: { ...claims() } })),
      ),
    ),
    ...ACCEPTED.map(([condition, caller]) =>
      check('CONTRACT §2', `a token with ${condition}: 200`, async (service) =>
        expect((await list(service, caller())).status).toBe(200),
      ),
    ),
    ...PERMISSIONS.map(([condition, caller, status]) =>
      check('CONTRACT §2', `a token with ${condition}: ${status}`, async (service) =>
        expect((await list(service, caller)).status).toBe(status),
      ),
    ),
    ...header,
    ...signature,
    ...roles,
  ],
};
