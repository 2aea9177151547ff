import { describe, expect } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { dryRunOf } from '#test/support/requests/dry-run.ts';
import { otherBodyOf, request } from '#test/support/requests/requests.ts';
import type { Capability } from '#test/support/service/capabilities.ts';
import type { Answer, Call, Sent } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { idMakers, type Make } from '../support/id-makers.ts';
import { inTurn, needsOf, prepare, prepareShared } from '../support/prerequisites.ts';
import { call, changesNothing, dryHeader, memberOf, send, sendBoth, withMore } from './calls.ts';

const service = await openService();

/**
 * Requests that are refused before the handler runs. An operation that ignores the cause responds as to a request
 * without the cause.
 */
const REFUSED: readonly (readonly [cause: string, status: number, more: Sent])[] = [
  ['no token', 401, { as: 'nobody' }],
  ['no scope', 403, { as: { scope: 'events:read' } }],
  ['an unknown field', 422, { body: { nonsense: 1 } }],
  ['no Content-Type', 415, { body: '{}' }],
  ['malformed JSON', 400, { body: '{', headers: { 'content-type': 'application/json' } }],
  ['a malformed key', 400, { headers: { 'idempotency-key': 'x' } }],
  ['a malformed If-Match', 400, { headers: { 'if-match': '1' } }],
  ['a compressed body', 415, { headers: { 'content-encoding': 'gzip' } }],
];

/** A retry is accepted with 202 too, but creates nothing. */
const isCreation = ({ returns, route }: Operation) => (201 in returns || 202 in returns) && !route.endsWith('/retry');

const statusOf = ({ returns }: Operation) => Number(Object.keys(returns)[0]);

/** A request that changes something. Both tests of the operation share it. */
const callOf = (service: Service, operation: Operation, version: Version): Promise<Call> =>
  service.once(operation.route, async () => {
    const call = await prepare(service, operation, version);
    if (!['PATCH', 'PUT'].includes(operation.method)) return call;
    return withMore(call, { body: { ...(call.sent.body as object), ...otherBodyOf(operation) } });
  });

const refusedBeforeItRuns = async (service: Service, call: Call): Promise<void> => {
  for (const [cause, status, more] of REFUSED) {
    if ((await send(service, dryRunOf(withMore(call, more)))).status < 400) continue;
    const { real } = await sendBoth(service, withMore(call, more));
    expect([cause, real.status]).toEqual([cause, status]);
  }
  const { status, headers, json } = await service.send(`${call.target}?misspelt=1&dry_run=true`, call.sent);
  const parameters = json.errors.map(({ parameter }: { parameter: string }) => parameter);
  expect([status, headers['dry-run'], parameters]).toEqual([422, 'true', ['misspelt']]);
};

const refusedForItsMember = async (service: Service, operation: Operation, version: Version, call: Call) => {
  const foreign = await prepareShared(service, operation, version, { account: 'other' });
  for (const target of [foreign.target, call.target.replace(/\d{5,}/, '1')])
    expect((await sendBoth(service, { ...call, target })).dry.status).toBe(404);
  if (!operation.ifMatch) return;
  const { headers } = await service.send(memberOf(call));
  const stale = await sendBoth(service, withMore(call, { headers: { 'if-match': '"99"' } }));
  const etags = [stale.real.headers['etag'], stale.dry.headers['etag']];
  expect([stale.dry.status, ...etags]).toEqual([412, headers['etag'], headers['etag']]);
};

const withoutKey = async (service: Service, operation: Operation, call: Call): Promise<void> => {
  const dry = await send(service, dryRunOf(withMore(call, { headers: { 'idempotency-key': undefined } })));
  expect([dry.status, dry.json.code, dryHeader(dry)]).toEqual(
    operation.idempotency === 'required'
      ? [400, 'idempotency-key-required', 'true']
      : [statusOf(operation), undefined, 'true'],
  );
};

/** A key with a record: a replay; the key with another body: 422. */
const replayed = async (service: Service, operation: Operation, call: Call, first: Answer): Promise<void> => {
  const { dry } = await sendBoth(service, call);
  const kept = ({ status, text, headers }: Answer) => [status, text, headers['location'], headers['etag']];
  expect([...kept(dry), dry.headers['idempotent-replayed']]).toEqual([...kept(first), 'true']);
  if (!operation.body) return;
  const body = { ...(call.sent.body as object), ...otherBodyOf(operation) };
  const reused = (await sendBoth(service, withMore(call, { body }))).dry;
  expect([reused.status, reused.json.code]).toEqual([422, 'idempotency-key-reused']);
};

const defineWriteTests = (title: string, version: Version, operation: Operation): void => {
  const { method, path } = operation;
  const hasMember = path.includes('{');
  const needs = hasMember ? ([...needsOf(operation), 'otherAccount'] as const) : needsOf(operation);
  testWith(...needs)(
    `${title}, refused: the same response, with Dry-Run, and nothing changes [CONTRACT §13]`,
    async () => {
      const call = await callOf(service, operation, version);
      await changesNothing(service, call, async () => {
        await refusedBeforeItRuns(service, call);
        if (hasMember) await refusedForItsMember(service, operation, version, call);
        if (method === 'POST') await withoutKey(service, operation, call);
      });
    },
  );

  testWith(...needsOf(operation))(
    `${title}: the response of the request; nothing changes; its key stays unused [CONTRACT §13]`,
    async () => {
      const prepared = await callOf(service, operation, version);
      const etag = hasMember ? (await service.send(memberOf(prepared))).headers['etag'] : undefined;
      const call = withMore(prepared, { headers: { 'if-match': etag } });
      await changesNothing(service, call, () => send(service, dryRunOf(call)));
      const { dry, real } = await sendBoth(service, call);
      const headers = [dry.headers['etag'], dry.headers['location']];
      expect([dry.status, ...headers]).toEqual([statusOf(operation), undefined, undefined]);
      if (isCreation(operation)) expect([dry.json.id, typeof real.json.id]).toEqual([null, 'number']);
      else expect(dry.json?.id).toBe(real.json?.id);
      expect(real.headers['idempotent-replayed']).toBeUndefined();
      if (method === 'POST') await replayed(service, operation, call, real);
      if (operation.route === 'POST /exports')
        await service.until(`/v1/exports/${real.json.id}`, (answer) => answer.json.status === 'completed');
    },
  );
};

/** Ids of no resource: an unknown parameter is refused before a 404 (§5). */
const defineReadTests = (title: string, version: Version, operation: Operation): void => {
  test(`${title} with dry_run: 422 without Dry-Run, also HEAD [CONTRACT §13]`, async () => {
    const { target } = request(operation, version, {});
    for (const [method, value] of [
      ['GET', 'true'],
      ['GET', 'false'],
      ['HEAD', 'true'],
    ]) {
      const answer = await service.send(`${target}?dry_run=${value}`, { method: method as string });
      expect([answer.status, dryHeader(answer)]).toEqual([422, undefined]);
      if (method === 'GET') expect(answer.json.errors).toMatchObject([{ parameter: 'dry_run' }]);
    }
  });
};

describe('Dry runs', () => {
  for (const [title, version, , operation] of partOf(inTurn, 7)) {
    (operation.isWrite ? defineWriteTests : defineReadTests)(title, version, operation);
  }
});

const paid = async ({ invoice, pay }: Make, amount = 1000) => {
  const invoice_id = await invoice({ total_cents: 1000 });
  return { invoice_id, payment_id: await pay(invoice_id, amount) };
};

type PrepareCall = (make: Make) => Promise<Call>;

/** A request that a state, a rule, a scope or a missing resource refuses, by the code of its problem. */
const REFUSALS: Readonly<Record<string, PrepareCall>> = {
  'invoice-has-payments': async (make) => call('DELETE', `invoices/${(await paid(make, 1)).invoice_id}`),
  'invalid-transition': async (make) => call('PATCH', `invoices/${await make.invoice()}`, { status: 'draft' }),
  'customer-in-use': async (make) => {
    const id = await make.customer();
    await make.invoice({ customer_id: id });
    return call('DELETE', `customers/${id}`);
  },
  'amount-exceeds-due': async (make) =>
    call('POST', 'payments', { invoice_id: await make.invoice(), amount_cents: 101 }),
  'insufficient-scope': async () =>
    call('POST', 'exports', { type: 'refunds', format: 'csv' }, { scope: 'exports:write exports:read events:read' }),
  'not-found': async () => call('POST', 'invoices', { customer_id: 1 }),
};

const UNROUTED = [
  ['PATCH', '/v1/payments/1', 405],
  ['DELETE', '/v1/customers', 405],
  ['POST', '/health', 405],
  ['POST', '/v1/nonsense', 404],
  ['POST', '/customers', 404],
] as const;

const defineRefusal = (code: string, prepareCall: PrepareCall, ...needs: readonly Capability[]): void =>
  testWith(...needs)(`${code}: the same response, with Dry-Run [CONTRACT §13]`, async () => {
    const refused = await prepareCall(idMakers(service));
    const own: Call = { ...refused, sent: { ...refused.sent, as: {} } };
    const { dry } = await changesNothing(service, own, () => sendBoth(service, refused));
    expect([dry.json.code, dryHeader(dry)]).toEqual([code, 'true']);
  });

describe('Refused dry runs', () => {
  for (const [code, prepareCall] of Object.entries(REFUSALS)) defineRefusal(code, prepareCall);
  defineRefusal(
    'policy-denied',
    async (make) => call('POST', 'refunds', { payment_id: (await paid(make)).payment_id }, { role: 'accountant' }),
    'roles',
  );

  for (const [method, target, status] of UNROUTED) {
    test(`${method} ${target}, which no endpoint answers: ${status} without Dry-Run [CONTRACT §13]`, async () => {
      const dry = await send(service, dryRunOf({ target, sent: { method } }));
      expect([dry.status, dryHeader(dry)]).toEqual([status, undefined]);
    });
  }

  test('GET of an unknown path with dry_run=true: 404 without Dry-Run [CONTRACT §13]', async () => {
    const answer = await service.send('/v1/nonsense?dry_run=true');
    expect([answer.status, dryHeader(answer)]).toEqual([404, undefined]);
  });

  test('20 dry runs and one request under one key: the request executes once [CONTRACT §13]', async () => {
    const one = call('POST', 'customers', { name: 'Once' });
    const answers = await Promise.all(
      Array.from({ length: 21 }, (_, i) => send(service, i === 10 ? one : dryRunOf(one))),
    );
    const [real] = answers.filter((answer) => dryHeader(answer) === undefined);
    const dry = answers.filter((answer) => dryHeader(answer) === 'true');
    expect([real?.status, real?.headers['idempotent-replayed'], dry.length]).toEqual([201, undefined, 20]);
    for (const { status, text, json, headers } of dry) {
      expect(status).toBe(201);
      if (headers['idempotent-replayed']) expect(text).toBe(real?.text);
      else expect(json.id).toBeNull();
    }
  });
});

const VALUES = ['', 'TRUE', '1', 'yes', 'true,true', '%20true', 'true+'];

const REPEATED = ['true&dry_run=true', 'true&dry_run=false', 'false&dry_run=true', 'false&dry_run=false'];

const ENCODED = ['%64ry_run=true', 'dry_run=%74rue', 'dry%5Frun=true', '&dry_run=true&'];

describe('Values of dry_run', () => {
  for (const [code, values] of [
    ['not-allowed', partOf(VALUES, 4)],
    ['repeated', partOf(REPEATED, 2)],
  ] as const) {
    for (const value of values) {
      test(`dry_run=${value}: 422 naming dry_run, and nothing changes [CONTRACT §13]`, async () => {
        const creation = call('POST', 'customers', { name: 'Ada' });
        await changesNothing(service, creation, async () => {
          const answer = await send(service, dryRunOf(creation, value));
          const { status, json } = answer;
          expect([status, json.errors]).toMatchObject([422, [{ parameter: 'dry_run', code }]]);
          if (code === 'repeated') expect(dryHeader(answer)).toBe(value.includes('true') ? 'true' : undefined);
        });
      });
    }
  }

  for (const query of partOf(ENCODED, 2)) {
    test(`?${query}: the request is a dry run [CONTRACT §13]`, async () => {
      const creation = call('POST', 'customers', { name: 'Ada' });
      await changesNothing(service, creation, async () => {
        const answer = await service.send(`${creation.target}?${query}`, creation.sent);
        expect([answer.status, dryHeader(answer), answer.json.id]).toEqual([201, 'true', null]);
      });
    });
  }

  test('dry_run=false: the request is executed [CONTRACT §13]', async () => {
    const real = await send(service, dryRunOf(call('POST', 'customers', { name: 'Ada' }), 'false'));
    expect([real.status, dryHeader(real)]).toEqual([201, undefined]);
    expect([typeof real.json.id, typeof real.headers['location']]).toEqual(['number', 'string']);
  });
});
