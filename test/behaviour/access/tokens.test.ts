import { describe, expect } from '@jest/globals';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { resources } from '#shared/invoicing/index.ts';
import { operations } from '#test/support/requests/requests.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { openService, publicTest, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { until } from '#test/support/waiting/until.ts';
import { challenge, createInvoice, outcome, patch, pay, put, refund } from '../support/requests.ts';

const service = await openService();

/**
 * The least role that may write a collection, from the list of resources; for a resource that CONTRACT §2 does not
 * name.
 */
const writerOf = (collection: string): string =>
  Object.values<{ collection: string; writer?: string }>(resources).find((entry) => entry.collection === collection)
    ?.writer ?? 'nobody';

const list = (service: Service, as: Caller) => service.send('/v1/invoices', { as });

const listWith = (service: Service, authorization: string) =>
  service.send('/v1/invoices', { as: 'nobody', headers: { authorization } });

const expectInvalid = (answer: Answer, sent = 'Bearer x') => {
  expect(outcome(answer)).toEqual([401, 'unauthenticated']);
  const error = /^bearer\s+\S/i.test(sent) ? ', error="invalid_token"' : '';
  expect(answer.headers['www-authenticate']).toEqual(challenge(error));
};

/** The capabilities that a deployment needs for the token of a caller. */
const rolesOf = ({ role }: Caller) => (role === undefined ? [] : (['roles'] as const));

const seconds = () => Math.floor(Date.now() / 1000);

/** The response to a token that has just expired, also if the issuer is slow. */
const listWithExpired = async (): Promise<Answer> => {
  for (let lifetime = 0; ; lifetime = 2 * lifetime + 1) {
    const exp = seconds() + lifetime;
    const token = await service.token({ claims: { exp } });
    await until(() => seconds() > exp);
    const answer = await listWith(service, `Bearer ${token}`);
    if (seconds() < exp + 5) return answer;
  }
};

const NO_ACCOUNT = 'account_id of the access token is not an account: 1 to 64 characters of A-Z, a-z, 0-9, _ and -.';
const NO_TEXTS = 'of the access token is neither a string nor an array of strings.';

/** Claims of tokens, and a part of the detail of the 401. */
const INVALID: readonly (readonly [claims: object, detail: string])[] = [
  [{ iss: 'https://issuer.invalid/' }, 'The claim iss of the access token must be "'],
  [{ aud: 'other' }, 'The claim aud of the access token must be "'],
  [{ aud: ['x', 'y'] }, 'The claim aud of the access token must be "'],
  [{ exp: null }, 'The claim exp of the access token is not a number.'],
  [{ exp: seconds() - 30 }, 'The access token has expired.'],
  [{ nbf: seconds() + 600 }, 'is not valid yet: its claim nbf is later'],
  [{ nbf: 'tomorrow' }, 'The claim nbf of the access token is not a number.'],
  [{ iat: seconds() + 600 }, 'is not valid yet: its claim iat is later'],
  [{ iat: 'yesterday' }, 'The claim iat of the access token is not a number.'],
  ...[null, '', 7, 'a'.repeat(1001), 'a\0b', 'a\ud800b'].map(
    (sub) => [{ sub }, 'The claim sub of the access token '] as const,
  ),
  ...[null, '', 'a'.repeat(65), 'acct#1', 'a b', ['acct_1']].map((account_id) => [{ account_id }, NO_ACCOUNT] as const),
  ...[{ read: true }, ['invoices:read', 7]].map((scope) => [{ scope }, `The claim scope ${NO_TEXTS}`] as const),
  ...[7, ['admin', {}], null].map((role) => [{ role }, `The claim role ${NO_TEXTS}`] as const),
];

const ACCEPTED: readonly (readonly [condition: string, caller: () => Caller])[] = [
  ['an iat within the tolerance of 5 s', () => ({ claims: { iat: seconds() + 3 } })],
  ['an nbf within the tolerance of 5 s', () => ({ claims: { nbf: seconds() + 3 } })],
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
  'credit-notes': 'accountant',
  'number-series': 'admin',
  exports: 'accountant',
  'webhook-endpoints': 'admin',
  'webhook-deliveries': 'admin',
};

const ROLES = ['viewer', 'clerk', 'accountant', 'admin'];

const writes = operations.filter(([, operation]) => operation.isWrite);

const lists = operations.flatMap(([, { list, route }]) => (list && !route.includes('{') ? [route.split(' ')[1]] : []));

const HEADERS = ['Bearer', 'Bearer ', 'Basic dTpw', 'Bearer a b', 'Bearer not.a.jwt', 'Bearer e30.e30.', 'garbage'];

const partsOf = (token: string): [header: JWTPayload & { alg: string }, payload: JWTPayload, signature: string] => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return [decode(header), decode(payload), signature];
};

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

describe('Tokens, roles and scopes', () => {
  testWith('claims')(
    'a token with an invalid claim: 401 invalid_token whose detail says why [CONTRACT §2]',
    async () => {
      for (const [claims, detail] of INVALID) {
        const answer = await list(service, { claims: { ...claims } });
        expectInvalid(answer);
        expect([claims, answer.json.detail]).toEqual([claims, expect.stringContaining(detail)]);
      }
    },
  );

  for (const [condition, caller] of ACCEPTED) {
    testWith('claims')(`a token with ${condition}: 200 [CONTRACT §2]`, async () =>
      expect((await list(service, caller())).status).toBe(200),
    );
  }

  testWith('claims')('a token with an exp within the tolerance of 5 s: 200 [CONTRACT §2]', async () =>
    expect((await listWithExpired()).status).toBe(200),
  );

  for (const [condition, caller, status] of PERMISSIONS) {
    testWith(...rolesOf(caller))(`a token with ${condition}: ${status} [CONTRACT §2]`, async () =>
      expect((await list(service, caller)).status).toBe(status),
    );
  }

  for (const scheme of ['bEARER ', 'Bearer  ', 'bearer    ']) {
    test(`"${scheme}" before a token: 200 [CONTRACT §2]`, async () => {
      expect((await listWith(service, `${scheme}${await service.token()}`)).status).toBe(200);
    });
  }

  for (const scheme of ['Bearer', 'Bearer\t', 'Bearer Bearer ', 'Bearer: ']) {
    test(`${JSON.stringify(scheme)} before a token: 401 [CONTRACT §2]`, async () => {
      const sent = `${scheme}${await service.token()}`;
      expectInvalid(await listWith(service, sent), sent);
    });
  }

  for (const more of [' x', ',Bearer x']) {
    test(`a valid token and "${more}" after it: 401 [CONTRACT §2, §12]`, async () => {
      expectInvalid(await listWith(service, `Bearer ${await service.token()}${more}`));
    });
  }

  for (const value of HEADERS) {
    publicTest(`the Authorization header ${JSON.stringify(value)}: 401 [CONTRACT §2]`, async () =>
      expectInvalid(await listWith(service, value), value),
    );
  }

  test('an altered payload under a valid signature: 401 [CONTRACT §2]', async () => {
    const token = await service.token();
    expect((await listWith(service, `Bearer ${token}`)).status).toBe(200);
    const [header, payload, signed] = partsOf(token);
    const forged = encode({ ...payload, account_id: 'acct_2' });
    expectInvalid(await listWith(service, `Bearer ${encode(header)}.${forged}.${signed}`));
  });

  for (const alg of ['HS256', 'none', 'PS256', 'ES384']) {
    test(`a token with the algorithm ${alg}: 401 [CONTRACT §2]`, async () => {
      const [header, payload] = partsOf(await service.token());
      const signed = alg === 'none' ? '' : 'c2ln';
      expectInvalid(await listWith(service, `Bearer ${encode({ ...header, alg })}.${encode(payload)}.${signed}`));
    });
  }

  test('a token signed with another key under the same key id: 401 [CONTRACT §2]', async () => {
    const [header, payload] = partsOf(await service.token());
    const { privateKey } = await generateKeyPair(header.alg);
    const forged = await new SignJWT(payload).setProtectedHeader(header).sign(privateKey);
    expectInvalid(await listWith(service, `Bearer ${forged}`));
  });

  for (const role of ROLES) {
    testWith('roles')(`the role ${role}: reads every collection [CONTRACT §2]`, async () => {
      for (const path of lists) expect((await service.send(`/v1${path}`, { as: { role } })).status).toBe(200);
    });
  }

  for (const [collection, own] of [...Map.groupBy(writes, ([name]) => name.split('/')[0] ?? '')]) {
    const least = WRITERS[collection] ?? writerOf(collection);
    testWith('roles')(
      `a write of ${collection}: 403 for a role below ${least}, permitted from ${least} on [CONTRACT §2]`,
      async () => {
        for (const [name, operation] of own) {
          const { method, path } = operation;
          const sent = { method, ...(operation.body && { body: { nonsense: 1 } }) };
          for (const role of ROLES) {
            const { status } = await service.send(`/v1${path.replace(/\{\w+\}/, '1')}`, { ...sent, as: { role } });
            const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(least);
            expect([name, role, status === 403]).toEqual([name, role, !isPermitted]);
          }
        }
      },
    );
  }

  test('expand=customer without customers:read: 403; with it: 200 [CONTRACT §2]', async () => {
    const target = '/v1/invoices?expand=customer';
    const refused = await service.send(target, { as: { scope: 'invoices:read' } });
    expect(outcome(refused)).toEqual([403, 'insufficient-scope']);
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="invoicing", error="insufficient_scope", scope="customers:read"',
    );
    expect((await service.send(target, { as: { scope: 'invoices:read customers:read' } })).status).toBe(200);
  });
});

const CLERK = { role: 'clerk' };

const MACHINE = { scope: 'invoices:write payments:write refunds:write' };

const denied = ({ status, json: { code, rule, detail } }: Answer) => [status, code, rule, detail];

const AMOUNT = [
  403,
  'policy-denied',
  'amount',
  'Rule amount: a clerk may not create a payment above 100000 minor units.',
];

const SETTLE = [403, 'policy-denied', 'amount', 'Rule amount: a clerk may not settle more than 100000 minor units.'];

const settle = (service: Service, id: number, as: Caller, change: object = {}) =>
  patch(service, `/v1/invoices/${id}`, { status: 'paid', ...change }, { as });

const roleTest = testWith('roles');

describe('Conditional rules', () => {
  roleTest('amount, a payment by a clerk: at the limit 201, above it 403 [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 1_000_000 });
    expect((await pay(service, id, 100_000, CLERK)).status).toBe(201);
    expect(denied(await pay(service, id, 100_001, CLERK))).toEqual(AMOUNT);
    expect((await service.send(`/v1/invoices/${id}`)).json.amount_paid_cents).toBe(100_000);
  });

  for (const as of [MACHINE, { role: 'accountant' }, { role: 'admin' }]) {
    testWith(...rolesOf(as))(
      `amount, a payment above the limit by ${JSON.stringify(as)}: 201 [CONTRACT §2]`,
      async () => {
        const id = await createInvoice(service, { total_cents: 1_000_000 });
        expect((await pay(service, id, 100_001, as)).status).toBe(201);
      },
    );
  }

  roleTest('amount, a clerk whose token also has scopes: 403 above the limit [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 1_000_000 });
    expect(denied(await pay(service, id, 100_001, { ...CLERK, scope: 'payments:write' }))).toEqual(AMOUNT);
  });

  roleTest(
    'amount, a clerk settles an invoice: 200 if the limit is due, 403 if more is due [CONTRACT §2]',
    async () => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      expect(denied(await settle(service, id, CLERK))).toEqual(SETTLE);
      expect((await service.send(`/v1/invoices/${id}`)).json.status).toBe('open');
      await pay(service, id, 1, CLERK);
      expect((await settle(service, id, CLERK)).json.status).toBe('paid');
    },
  );

  test('amount, a machine client settles an invoice above the limit: 200 [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 100_001 });
    expect((await settle(service, id, MACHINE)).json.status).toBe('paid');
  });

  for (const write of [patch, put] as const) {
    roleTest(
      `amount, a ${write.name.toUpperCase()} of status and total: the larger of the old and the new amount counts [CONTRACT §2]`,
      async () => {
        for (const [before, total_cents] of [
          [1, 100_001],
          [100_001, 1],
          [100_001, 100_001],
        ]) {
          const path = `/v1/invoices/${await createInvoice(service, { total_cents: before })}`;
          expect(denied(await write(service, path, { status: 'paid', total_cents }, { as: CLERK }))).toEqual(SETTLE);
          expect((await service.send(path)).json).toMatchObject({ status: 'open', total_cents: before });
        }
        const path = `/v1/invoices/${await createInvoice(service, { total_cents: 1 })}`;
        const body = { status: 'paid', total_cents: 100_000 };
        expect((await write(service, path, body, { as: CLERK })).json.status).toBe('paid');
      },
    );

    roleTest(
      `amount, a ${write.name.toUpperCase()} of the total alone by a clerk: permitted, also when it settles [CONTRACT §2]`,
      async () => {
        const id = await createInvoice(service, { total_cents: 1 });
        const path = `/v1/invoices/${id}`;
        const change = async (total_cents: number) => (await write(service, path, { total_cents }, { as: CLERK })).json;
        expect((await change(500_000)).total_cents).toBe(500_000);
        await pay(service, id, 1, CLERK);
        expect((await change(1)).status).toBe('paid');
      },
    );
  }

  roleTest('amount, a PUT of status paid without a total: the old amount counts [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 100_001 });
    expect(denied(await put(service, `/v1/invoices/${id}`, { status: 'paid' }, { as: CLERK }))).toEqual(SETTLE);
  });

  roleTest('amount, another currency: the limit counts its minor units [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 1_000_000, currency: 'JPY' });
    expect((await pay(service, id, 100_000, CLERK)).status).toBe(201);
    expect(denied(await pay(service, id, 100_001, CLERK))).toEqual(AMOUNT);
  });

  roleTest('a conditional rule and a stale If-Match: 403 [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 100_001 });
    const sent = { as: CLERK, headers: { 'if-match': '"9"' } };
    expect(denied(await patch(service, `/v1/invoices/${id}`, { status: 'paid' }, sent))).toEqual(SETTLE);
  });

  testWith('roles', 'otherAccount')(
    'a conditional rule on an invoice of another account: 404 [CONTRACT §2]',
    async () => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      const as = { ...CLERK, account: 'other' };
      expect(outcome(await settle(service, id, as))).toEqual([404, 'not-found']);
      expect(outcome(await pay(service, id, 100_001, as))).toEqual([404, 'not-found']);
    },
  );

  roleTest('a conditional rule and a state rule: 403; the invoice does not exist: 404 [CONTRACT §2]', async () => {
    expect(outcome(await pay(service, 1, 999_999, CLERK))).toEqual([404, 'not-found']);
    const draft = await createInvoice(service, { status: 'draft' });
    expect(denied(await pay(service, draft, 999_999, CLERK))).toEqual(AMOUNT);
  });

  roleTest('submitter, an accountant refunds a payment of the same sub: 403 [CONTRACT §2]', async () => {
    const ann = { sub: 'ann', role: 'accountant' };
    const { json } = await pay(service, await createInvoice(service), 500, ann);
    const answer = await refund(service, json.id, 1, ann);
    expect(denied(answer).slice(0, 3)).toEqual([403, 'policy-denied', 'submitter']);
    expect(answer.json.detail).toMatch(/^Rule submitter: /);
    expect((await service.send(`/v1/payments/${json.id}`)).json.amount_refunded_cents).toBe(0);
  });

  for (const as of [
    { sub: 'bea', role: 'accountant' },
    { sub: 'ann', role: 'admin' },
    { sub: 'ann', scope: 'refunds:write' },
  ]) {
    roleTest(`submitter, ${JSON.stringify(as)} refunds a payment of ann: 201 [CONTRACT §2]`, async () => {
      const { json } = await pay(service, await createInvoice(service), 500, { sub: 'ann', role: 'accountant' });
      expect((await refund(service, json.id, 1, as)).status).toBe(201);
    });
  }
});
