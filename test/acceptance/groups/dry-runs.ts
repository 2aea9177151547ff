import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { isWrite, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { comparable, dryResponseOf } from '#test/support/dry-run-response.ts';
import { matrix, otherBodyOf } from '#test/support/requests.ts';
import { type Check, check, type Group } from '../suite/check.ts';
import type { Answer, Caller, Sent, Service } from '../suite/service.ts';
import { makers } from './event-scenarios.ts';
import { type Call, prepare } from './requests.ts';

const dryRunOf = ({ target, sent }: Call, value = 'true'): Call => ({ target: `${target}?dry_run=${value}`, sent });
const send = (service: Service, { target, sent }: Call) => service.send(target, sent);
const withMore = ({ target, sent }: Call, more: Sent): Call => ({
  target,
  sent: { ...sent, ...more, headers: { ...sent.headers, ...more.headers } },
});
const dryHeader = ({ headers }: Answer) => headers['dry-run'];

const TRANSFER = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];
const withoutTransfer = (answer: Answer): Answer => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !TRANSFER.includes(name))),
});
/** More than the clocks of the client and the service differ. */
const SKEW_MS = 5000;

/** Sends a request as a dry run and then without `dry_run`: the same status, headers and body. */
const sendBoth = async (service: Service, call: Call): Promise<{ dry: Answer; real: Answer }> => {
  const since = Date.now() - SKEW_MS;
  const [dry, real] = [await send(service, dryRunOf(call)), await send(service, call)].map(withoutTransfer) as [
    Answer,
    Answer,
  ];
  expect(comparable(dry, since)).toEqual(comparable(dryResponseOf(real), since));
  expect([dryHeader(dry), dryHeader(real)]).toEqual(['true', undefined]);
  return { dry, real };
};

/** What a client can see of the resources that a request may change. */
const visibleTo = async (service: Service, { target, sent: { as } }: Call): Promise<unknown[]> => {
  const [collection = ''] = /^\/v\d\/[a-z-]+/.exec(target) ?? [];
  const [member] = /^\/v\d\/[a-z-]+\/\d+/.exec(target) ?? [];
  const v1 = collection.replace('v2', 'v1');
  const read = async (path: string) => (await service.send(path, { ...(as && { as }) })).text;
  const total = async (path: string) => JSON.parse(await read(`${path}?page=1&per_page=1`)).total_count;
  return [await total(v1), await total('/v1/events'), member && (await read(member))];
};

const changesNothing = async <T>(service: Service, call: Call, work: () => Promise<T>): Promise<T> => {
  const before = await visibleTo(service, call);
  const result = await work();
  expect(await visibleTo(service, call)).toEqual(before);
  return result;
};

/** Refusals before the handler runs, by their status; an operation that ignores the cause responds as always. */
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
const VALUES = ['', 'TRUE', '1', 'yes', 'true,true', '%20true', 'true+'];
const REPEATED = ['true&dry_run=true', 'true&dry_run=false', 'false&dry_run=true', 'false&dry_run=false'];
const ENCODED = ['%64ry_run=true', 'dry_run=%74rue', 'dry%5Frun=true', '&dry_run=true&'];

const clause = 'CONTRACT §13';
/** A retry is accepted with 202 too, but creates nothing. */
const isCreation = ({ returns, route }: Operation) => (201 in returns || 202 in returns) && !route.endsWith('/retry');

const checksOf = (title: string, version: Version, operation: Operation): Check[] => {
  const { method, path } = routeOf(operation);
  const status = Number(Object.keys(operation.returns)[0]);
  const isNew = isCreation(operation);
  const otherBody = otherBodyOf(operation);
  const prepared = async (service: Service, as: Caller = {}): Promise<Call> => {
    const call = await prepare(service, operation, version, as);
    const isChange = ['PATCH', 'PUT'].includes(method);
    return isChange ? withMore(call, { body: { ...(call.sent.body as object), ...otherBody } }) : call;
  };
  /** Cancels an export that the request has not: its events must not appear while a later check runs. */
  const release = async (service: Service, { target, sent }: Call): Promise<void> => {
    if (operation.route === 'POST /exports/{export_id}/cancel')
      await service.send(target, { method: 'POST', as: sent.as ?? {} });
  };
  const finish = async (service: Service, { json }: Answer) => {
    if (operation.route === 'POST /exports')
      await service.until(`/v1/exports/${json.id}`, (answer) => answer.json.status === 'completed');
  };
  const common = [
    check(clause, `${title}: the response of the request, and nothing changes; then its key works`, async (service) => {
      const call = await prepared(service);
      await changesNothing(service, call, () => send(service, dryRunOf(call)));
      const { dry, real } = await sendBoth(service, call);
      expect([dry.status, dry.headers['etag'], dry.headers['location']]).toEqual([status, undefined, undefined]);
      if (isNew) expect([dry.json.id, typeof real.json.id]).toEqual([null, 'number']);
      else expect(dry.json?.id).toBe(real.json?.id);
      expect(real.headers['idempotent-replayed']).toBeUndefined();
      await finish(service, real);
    }),
    check(clause, `${title}, refused before it runs: the same response, with Dry-Run`, async (service) => {
      const call = await prepared(service);
      const dry = await changesNothing(service, call, async () => {
        const answers: Answer[] = [];
        for (const [, , more] of REFUSED) answers.push(await send(service, dryRunOf(withMore(call, more))));
        return answers;
      });
      for (const [i, [cause, expected, more]] of REFUSED.entries()) {
        if ((dry[i] as Answer).status < 400) continue;
        const { real } = await sendBoth(service, withMore(call, more));
        expect([cause, real.status]).toEqual([cause, expected]);
      }
      const {
        status: unknown,
        headers,
        json,
      } = await service.send(`${call.target}?misspelt=1&dry_run=true`, call.sent);
      const parameters = json.errors.map(({ parameter }: { parameter: string }) => parameter);
      expect([unknown, headers['dry-run'], parameters]).toEqual([422, 'true', ['misspelt']]);
      await release(service, call);
    }),
    check(clause, `${title}, another value of dry_run, or two: 422 naming it, no effect`, async (service) => {
      const call = await prepared(service);
      await changesNothing(service, call, async () => {
        for (const [code, values] of [
          ['not-allowed', VALUES],
          ['repeated', REPEATED],
        ] as const)
          for (const value of values) {
            const { status: found, json } = await send(service, dryRunOf(call, value));
            expect([value, found, json.errors]).toMatchObject([value, 422, [{ parameter: 'dry_run', code }]]);
          }
      });
      await release(service, call);
    }),
    check(clause, `${title}, another encoding of dry_run=true: a dry run; dry_run=false: none`, async (service) => {
      const call = await prepared(service);
      await changesNothing(service, call, async () => {
        for (const query of ENCODED) {
          const answer = await service.send(`${call.target}?${query}`, call.sent);
          expect([query, answer.status, dryHeader(answer)]).toEqual([query, status, 'true']);
        }
      });
      const real = await send(service, dryRunOf(call, 'false'));
      expect([real.status, dryHeader(real)]).toEqual([status, undefined]);
      if (isNew) expect([typeof real.json.id, typeof real.headers['location']]).toEqual(['number', 'string']);
      await finish(service, real);
    }),
  ];
  const ofMember = [
    check(clause, `${title}, an id that is unknown or of another account: 404 with Dry-Run`, async (service) => {
      const { target, sent } = await prepared(service, { account: 'other' });
      const own: Call = { target, sent: { ...sent, as: {} } };
      expect((await sendBoth(service, own)).dry.status).toBe(404);
      expect((await sendBoth(service, { ...own, target: target.replace(/\d{5,}/, '1') })).dry.status).toBe(404);
      await release(service, { target, sent });
    }),
    check(clause, `${title}, a stale If-Match: 412 without ETag; the current one: success`, async (service) => {
      const call = await prepared(service);
      const [member = ''] = /^\/v\d\/[a-z-]+\/\d+/.exec(call.target) ?? [];
      const etag = (await service.send(member)).headers['etag'];
      const stale = withMore(call, { headers: { 'if-match': '"99"' } });
      const { real, dry } = await changesNothing(service, stale, () => sendBoth(service, stale));
      expect([dry.status, real.headers['etag'], dry.headers['etag']]).toEqual([412, etag, undefined]);
      const current = withMore(call, { headers: { 'if-match': etag } });
      expect((await sendBoth(service, current)).dry.status).toBe(status);
    }),
  ];
  const ofPost = [
    check(clause, `${title}, a key with a record: its replay; another body: 422`, async (service) => {
      const call = await prepared(service);
      const first = await send(service, call);
      const { dry } = await sendBoth(service, call);
      const kept = ({ status, text, headers }: Answer) => [status, text, headers['location'], headers['etag']];
      expect([...kept(dry), dry.headers['idempotent-replayed']]).toEqual([...kept(first), 'true']);
      if (operation.body) {
        const body = { ...(call.sent.body as object), ...otherBody };
        const reused = (await sendBoth(service, withMore(call, { body }))).dry;
        expect([reused.status, reused.json.code]).toEqual([422, 'idempotency-key-reused']);
      }
      await finish(service, first);
    }),
    check('CONTRACT §8', `${title}, a dry run without a key: 400 only where one is required`, async (service) => {
      const call = withMore(await prepared(service), { headers: { 'idempotency-key': undefined } });
      const dry = await send(service, dryRunOf(call));
      const isRequired = operation.idempotency === 'required';
      expect([dry.status, dry.json.code, dryHeader(dry)]).toEqual(
        isRequired ? [400, 'idempotency-key-required', 'true'] : [status, undefined, 'true'],
      );
      await release(service, call);
    }),
  ];
  return [...common, ...(path.includes('{') ? ofMember : []), ...(method === 'POST' ? ofPost : [])];
};

type Make = ReturnType<typeof makers>;
const call = (method: string, path: string, body?: object, as: Caller = {}): Call => ({
  target: `/v1/${path}`,
  sent: { method, as, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) },
});
const paid = async ({ invoice, pay }: Make, amount = 1000) => {
  const invoice_id = await invoice({ total_cents: 1000 });
  return { invoice_id, payment_id: await pay(invoice_id, amount) };
};

/** A request that a rule or a state refuses, by the code of its problem. */
const REFUSALS: Readonly<Record<string, (make: Make) => Promise<Call>>> = {
  'invoice-not-cancelable': async (make) => call('POST', `invoices/${(await paid(make)).invoice_id}/cancel`),
  'invoice-has-payments': async (make) => call('DELETE', `invoices/${(await paid(make, 1)).invoice_id}`),
  'invoice-closed': async (make) => call('PATCH', `invoices/${(await paid(make)).invoice_id}`, { description: 'x' }),
  'invalid-transition': async (make) => call('PATCH', `invoices/${await make.invoice()}`, { status: 'draft' }),
  'total-below-paid': async (make) =>
    call('PATCH', `invoices/${(await paid(make, 500)).invoice_id}`, { total_cents: 499 }),
  'currency-locked': async (make) =>
    call('PATCH', `invoices/${(await paid(make, 500)).invoice_id}`, { currency: 'EUR' }),
  'customer-in-use': async (make) => {
    const id = await make.customer();
    await make.invoice({ customer_id: id });
    return call('DELETE', `customers/${id}`);
  },
  'invoice-not-payable': async (make) =>
    call('POST', 'payments', { invoice_id: await make.invoice({ status: 'draft' }), amount_cents: 1 }),
  'amount-exceeds-due': async (make) =>
    call('POST', 'payments', { invoice_id: await make.invoice(), amount_cents: 101 }),
  'amount-exceeds-refundable': async (make) =>
    call('POST', 'refunds', { payment_id: (await paid(make)).payment_id, amount_cents: 1001 }),
  'policy-denied': async (make) =>
    call('POST', 'refunds', { payment_id: (await paid(make)).payment_id }, { role: 'accountant' }),
  'insufficient-scope': async () =>
    call('POST', 'exports', { type: 'refunds', format: 'csv' }, { scope: 'exports:write exports:read events:read' }),
  'not-found': async () => call('POST', 'invoices', { customer_id: 1 }),
  'export-not-cancelable': async (make) => {
    const { export_id } = await make.required('exports/get-file');
    return call('POST', `exports/${export_id}/cancel`);
  },
};

const UNROUTED = [
  ['PATCH', '/v1/payments/1', 405],
  ['DELETE', '/v1/customers', 405],
  ['POST', '/health', 405],
  ['POST', '/v1/nonsense', 404],
  ['POST', '/customers', 404],
  ['POST', '/v1/c%75stomers', 404],
] as const;

export const dryRuns: readonly Group[] = VERSIONS.map((one) => ({
  name: `Dry runs under ${one}`,
  checks: matrix
    .filter(([, version]) => version === one)
    .flatMap(([title, version, , operation]) =>
      isWrite(operation)
        ? checksOf(title, version, operation)
        : ['GET', 'HEAD'].map((method) =>
            check(clause, `${title}, ${method} with dry_run: 422 without Dry-Run`, async (service) => {
              const { target } = await prepare(service, operation, version);
              for (const value of ['true', 'false']) {
                const answer = await service.send(`${target}?dry_run=${value}`, { method });
                expect([answer.status, dryHeader(answer)]).toEqual([422, undefined]);
                if (method === 'GET') expect(answer.json.errors).toMatchObject([{ parameter: 'dry_run' }]);
              }
            }),
          ),
    ),
}));

export const refusedDryRuns: Group = {
  name: 'Refused dry runs',
  checks: [
    ...Object.entries(REFUSALS).map(([code, prepareCall]) =>
      check(clause, `${code}: the same response, with Dry-Run`, async (service) => {
        const refused = await prepareCall(makers(service));
        const own: Call = { ...refused, sent: { ...refused.sent, as: {} } };
        const { dry } = await changesNothing(service, own, () => sendBoth(service, refused));
        expect([dry.json.code, dryHeader(dry)]).toEqual([code, 'true']);
      }),
    ),
    ...UNROUTED.map(([method, target, status]) =>
      check(clause, `${method} ${target}: ${status} with Dry-Run`, async (service) => {
        const { dry } = await sendBoth(service, { target, sent: { method } });
        expect([dry.status, dryHeader(dry)]).toEqual([status, 'true']);
      }),
    ),
    check(clause, 'GET of an unknown path with dry_run=true: 404 without Dry-Run', async (service) => {
      const answer = await service.send('/v1/nonsense?dry_run=true');
      expect([answer.status, dryHeader(answer)]).toEqual([404, undefined]);
    }),
    check(clause, '20 dry runs and one request under one key: the request executes once', async (service) => {
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
    }),
  ],
};
