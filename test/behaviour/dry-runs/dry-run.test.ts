import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { isWrite, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { deepTest as test } from '#test/support/deep-test.ts';
import { type Call, changesBetween, dryRunOf, emptyTables, sendDryRun, snapshot } from '#test/support/dry-run.ts';
import { comparable, dryResponseOf } from '#test/support/dry-run-response.ts';
import { type Exports, startExports } from '#test/support/exports.ts';
import { createPrerequisites, matrix, otherBodyOf, request, resetCounters } from '#test/support/requests.ts';
import type { Answer, Claims } from '#test/support/service.ts';
import { captureOutput, enableTelemetry } from '#test/support/telemetry-output.ts';

let service: Exports;
let restoreOutput: () => void;
beforeAll(async () => {
  restoreOutput = enableTelemetry();
  service = await startExports();
});
afterAll(async () => {
  restoreOutput();
  await service.stop();
});

/** Does some work, and checks that it changes no table, sends no message and counts no money. */
const changesNothing = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await snapshot(service);
  const { result, metrics } = await captureOutput(work);
  expect(changesBetween(before, await snapshot(service))).toEqual([]);
  expect(await service.receive()).toEqual([]);
  expect(metrics.filter(({ name }) => name.startsWith('Money'))).toEqual([]);
  return result;
};

const sendReal = async ({ target, sent }: Call): Promise<Answer> =>
  (await captureOutput(() => service.send(target, sent))).result;

const dryHeader = ({ headers }: Answer) => headers['dry-run'];

/** Sends a request as a dry run and then without `dry_run`: the same status, headers and body (CONTRACT §13). */
const sendBoth = async (call: Call): Promise<{ dry: Answer; real: Answer }> => {
  const since = Date.now();
  const dry = await sendReal(dryRunOf(call));
  const real = await sendReal(call);
  expect(comparable(dry, since)).toEqual(comparable(dryResponseOf(real), since));
  expect([dryHeader(dry), dryHeader(real)]).toEqual(['true', undefined]);
  return { dry, real };
};

/** {@link sendBoth}, after a check that the dry run changes nothing. */
const runBoth = async (call: Call): Promise<{ dry: Answer; real: Answer }> => {
  await service.purge();
  await changesNothing(() => sendDryRun(service, call));
  return sendBoth(call);
};

const writes = matrix.filter(([, , , operation]) => isWrite(operation));

/** Refusals before the handler runs, by their status; an operation that ignores the cause responds as always. */
const REFUSED: readonly (readonly [cause: string, more: Partial<Call['sent']>, status: number])[] = [
  ['no token', { headers: { authorization: undefined } }, 401],
  ['no scope', { claims: { role: undefined, scope: '' } }, 403],
  ['an unknown field', { body: { nonsense: 1 } }, 422],
  ['no Content-Type', { body: '{}' }, 415],
  ['malformed JSON', { body: '{', headers: { 'content-type': 'application/json' } }, 400],
  ['a malformed key', { headers: { 'idempotency-key': 'x' } }, 400],
  ['a malformed If-Match', { headers: { 'if-match': '1' } }, 400],
  ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 415],
];

/** A retry is accepted with 202 too, but creates nothing. */
const isCreation = ({ returns, route }: Operation): boolean =>
  (201 in returns || 202 in returns) && !route.endsWith('/retry');

describe.each(writes)('%s', (_, version, _name, operation) => {
  const { method, path } = routeOf(operation);
  const [status] = Object.keys(operation.returns).map(Number);
  const isNew = isCreation(operation);
  const otherBody = otherBodyOf(operation);
  beforeAll(() => emptyTables(service));

  /** A call of a request that succeeds, with these differences. */
  const prepare = async (more: Partial<Call['sent']> = {}): Promise<Call> => {
    await resetCounters(service);
    const { result: ids } = await captureOutput(() =>
      createPrerequisites(service, operation, more.claims?.account_id ? more.claims : {}),
    );
    await service.purge();
    const { target, sent } = request(operation, version, ids);
    const changed = ['PATCH', 'PUT'].includes(method) && { body: { ...(sent.body as object), ...otherBody } };
    return { target, sent: { ...sent, ...changed, ...more, headers: { ...sent.headers, ...more.headers } } };
  };

  test('a request that succeeds: its response without ETag and Location, then the request executes [CONTRACT §13]', async () => {
    const { dry, real } = await runBoth(await prepare());
    expect(dry.status).toBe(status);
    expect(dry.headers).not.toHaveProperty('etag');
    expect(dry.headers).not.toHaveProperty('location');
    if (isNew) expect([dry.json.id, typeof real.json.id]).toEqual([null, 'number']);
    else expect(dry.json?.id).toBe(real.json?.id);
    expect(real.headers).not.toHaveProperty('idempotent-replayed');
  });

  test('a request that is refused before it runs: the same response, with Dry-Run [CONTRACT §13]', async () => {
    let { target, sent } = await prepare();
    const callOfCause = (more: Partial<Call['sent']>): Call => ({
      target,
      sent: { ...sent, ...more, headers: { ...sent.headers, ...more.headers } },
    });
    await changesNothing(async () => {
      for (const [, more] of REFUSED) await sendDryRun(service, callOfCause(more));
    });
    for (const [cause, more, expected] of REFUSED) {
      const { dry, real } = await sendBoth(callOfCause(more));
      expect([cause, dry.status]).toEqual([cause, real.status >= 400 ? expected : status]);
      if (real.status < 400) ({ target, sent } = await prepare());
    }
    const { dry } = await sendBoth({ target: `${target}?misspelt=1`, sent });
    expect([dry.status, dry.json.errors[0].parameter]).toEqual([422, 'misspelt']);
  });

  if (path.includes('{')) {
    test('an unknown id and an id of another account: 404 with Dry-Run [CONTRACT §13]', async () => {
      const { target, sent } = await prepare({ claims: { account_id: 'acct_other' } });
      const { claims, ...own } = sent;
      expect((await runBoth({ target, sent: own })).dry.status).toBe(404);
      expect((await runBoth({ target: target.replace(/\d{5,}/, '1'), sent: own })).dry.status).toBe(404);
    });

    test('a stale If-Match: 412 with the current ETag; the current one: success [CONTRACT §13]', async () => {
      const { target, sent } = await prepare();
      const ifMatch = (etag: string): Call => ({
        target,
        sent: { ...sent, headers: { ...sent.headers, 'if-match': etag } },
      });
      const { real, dry } = await runBoth(ifMatch('"99"'));
      expect([dry.status, dry.headers['etag'], real.headers['etag']]).toEqual([412, '"1"', '"1"']);
      expect((await runBoth(ifMatch('"1"'))).dry.status).toBe(status);
    });
  }

  if (method === 'POST') {
    test('a key with a record: its replay with Location and ETag; another body: 422 [CONTRACT §13]', async () => {
      const call = await prepare();
      const first = await sendReal(call);
      await service.purge();
      const { dry } = await runBoth(call);
      const kept = ({ status, text, headers }: Answer) => [status, text, headers['location'], headers['etag']];
      expect([...kept(dry), dry.headers['idempotent-replayed']]).toEqual([...kept(first), 'true']);
      if (!operation.body) return;
      const body = { ...(call.sent.body as object), ...otherBody };
      const reused = (await runBoth({ ...call, sent: { ...call.sent, body } })).dry;
      expect([reused.status, reused.json.code]).toEqual([422, 'idempotency-key-reused']);
    });
  }
});

describe('a request that the state or a rule refuses', () => {
  beforeAll(() => emptyTables(service));

  const post = async (path: string, body: object = {}, claims: Claims = {}): Promise<Answer> => {
    const headers = { 'idempotency-key': randomUUID() };
    return (await captureOutput(() => service.send(`/v1/${path}`, { method: 'POST', body, headers, claims }))).result;
  };
  const call = (method: string, target: string, body?: object, claims: Claims = {}): Call => ({
    target: `/v1/${target}`,
    sent: { method, claims, headers: { 'idempotency-key': randomUUID() }, ...(body && { body }) },
  });
  const invoice = async (body: object = { total_cents: 1000 }) => (await post('invoices', body)).json.id as number;
  const paid = async (amount_cents = 1000) => {
    const invoice_id = await invoice({ total_cents: 1000 });
    return { invoice_id, payment_id: (await post('payments', { invoice_id, amount_cents })).json.id as number };
  };

  const REFUSALS: Readonly<Record<string, () => Promise<Call>>> = {
    'invoice-not-cancelable': async () => call('POST', `invoices/${(await paid()).invoice_id}/cancel`),
    'invoice-has-payments': async () => call('DELETE', `invoices/${(await paid(1)).invoice_id}`),
    'invoice-closed': async () => call('PATCH', `invoices/${(await paid()).invoice_id}`, { description: 'x' }),
    'invalid-transition': async () => call('PATCH', `invoices/${await invoice()}`, { status: 'draft' }),
    'total-below-paid': async () => call('PATCH', `invoices/${(await paid(500)).invoice_id}`, { total_cents: 499 }),
    'currency-locked': async () => call('PATCH', `invoices/${(await paid(500)).invoice_id}`, { currency: 'EUR' }),
    'customer-in-use': async () => {
      const { id } = (await post('customers', { name: 'x' })).json;
      await invoice({ customer_id: id });
      return call('DELETE', `customers/${id}`);
    },
    'invoice-not-payable': async () =>
      call('POST', 'payments', { invoice_id: await invoice({ status: 'draft', total_cents: 5 }), amount_cents: 1 }),
    'amount-exceeds-due': async () => call('POST', 'payments', { invoice_id: await invoice(), amount_cents: 1001 }),
    'amount-exceeds-refundable': async () =>
      call('POST', 'refunds', { payment_id: (await paid()).payment_id, amount_cents: 1001 }),
    'policy-denied': async () =>
      call('POST', 'refunds', { payment_id: (await paid()).payment_id }, { role: 'accountant' }),
    'insufficient-scope': async () =>
      call('POST', 'exports', { type: 'refunds', format: 'csv' }, { role: undefined, scope: 'exports:write' }),
    'not-found': async () => call('POST', 'invoices', { customer_id: 1 }),
    'export-not-cancelable': async () => {
      const id = await service.request({ type: 'customers', format: 'csv' });
      await captureOutput(() => service.drain());
      return call('POST', `exports/${id}/cancel`);
    },
    'too-many-exports': async () => {
      const account_id = `acct_${randomUUID().slice(0, 8)}`;
      for (let i = 0; i < 20; i += 1) await post('exports', { type: 'customers', format: 'csv' }, { account_id });
      return call('POST', 'exports', { type: 'customers', format: 'csv' }, { account_id });
    },
  };

  beforeEach(() => resetCounters(service));

  test.each(Object.entries(REFUSALS))('%s: the same response, with Dry-Run [CONTRACT §13]', async (code, prepare) => {
    const { dry } = await runBoth(await prepare());
    expect([dry.json.code, dry.headers['dry-run']]).toEqual([code, 'true']);
  });
});

describe('a dry run under a key', () => {
  test('100 dry runs and one request under one key: the request executes once [CONTRACT §13]', async () => {
    const key = randomUUID();
    const call: Call = {
      target: '/v1/customers',
      sent: { method: 'POST', body: { name: 'Once' }, headers: { 'idempotency-key': key } },
    };
    const { result } = await captureOutput(() =>
      Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          i === 50 ? service.send(call.target, call.sent) : sendDryRun(service, call),
        ),
      ),
    );
    const [real] = result.filter(({ headers }) => headers['dry-run'] === undefined);
    const dry = result.filter(({ headers }) => headers['dry-run'] === 'true');
    expect([real?.status, real?.headers['idempotent-replayed'], dry.length]).toEqual([201, undefined, 99]);
    for (const { status, text, json, headers } of dry) {
      expect(status).toBe(201);
      if (headers['idempotent-replayed']) expect(text).toBe(real?.text);
      else expect(json.id).toBeNull();
    }
  });
});

test('events of requests and dry runs: only those of the requests [CONTRACT §13, CONTRACT §14]', async () => {
  const claims = { account_id: `acct_${randomUUID().slice(0, 8)}` };
  const call: Call = { target: '/v1/customers', sent: { method: 'POST', body: { name: 'x' }, claims } };
  await runBoth(call);
  await runBoth(call);
  const { result } = await captureOutput(() => service.send('/v1/events', { claims }));
  expect(result.json.data.map(({ type }: { type: string }) => type)).toEqual(['customer.created', 'customer.created']);
});

test('the line of a dry run: dry_run is true; the line of a request has none', async () => {
  const call: Call = { target: '/v1/customers', sent: { method: 'POST', body: { name: 'x' } } };
  const dry = await captureOutput(() => sendDryRun(service, call));
  const real = await captureOutput(() => service.send(call.target, call.sent));
  expect(dry.lines).toMatchObject([{ message: 'request', status: 201, dry_run: true }]);
  expect(real.lines[0]).not.toHaveProperty('dry_run');
});
