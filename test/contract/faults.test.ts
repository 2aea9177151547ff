import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import retryDelivery from '#functions/webhook-deliveries/retry.ts';
import type { ResourceName } from '#shared/invoicing/index.ts';
import { retryWithoutDelay } from '#test/ledger/fast-retries.ts';
import { isDeep, partOf, stride } from '#test/support/extent.ts';
import { FAULTS, type Fault, type Faults, injectFaults } from '#test/support/faults.ts';
import { checkInvariants, rowsOf } from '#test/support/invariants.ts';
import { createPrerequisites, operations, request } from '#test/support/requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

/*
 * Injects every fault into every AWS call of every endpoint: once (a retry of the SDK may succeed), for all attempts of
 * one call, and for good (no retry succeeds). Then the client retries, and the effect must be there exactly once.
 */

/** One service per kind of fault, so that all kinds run at the same time. */
interface Lane {
  readonly kind: Fault;
  readonly service: Service;
  readonly faults: Faults;
  remaining: number;
  account_id: string;
  customer_id: number;
  /** How often the client has sent the request. */
  tries: number;
  /** The number of rows before the request. */
  rows: number;
}

let lanes: Lane[];

beforeAll(async () => {
  lanes = [];
  for (const kind of FAULTS) {
    const service = await startService();
    lanes.push({
      kind,
      service,
      faults: injectFaults(service.client),
      remaining: 0,
      account_id: '',
      customer_id: 0,
      tries: 0,
      rows: 0,
    });
  }
});
afterAll(() => Promise.all(lanes.map(({ service }) => service.stop())));

/**
 * Remaining time of a try, in milliseconds: enough to retry, or just enough to give up. A slower engine takes longer to
 * reach the call that fails (docs/engines.md).
 */
const REMAINING = { once: 8000, 'for one call': 8000, 'for good': Number(process.env['GIVE_UP_MS'] ?? 1150) };
/** Attempts of the SDK for one call. */
const SDK_ATTEMPTS = 3;
const LASTING = {
  once: (from: number, number: number) => number === from,
  'for one call': (from: number, number: number) => number >= from && number < from + SDK_ATTEMPTS,
  'for good': (from: number, number: number) => number >= from,
};

const ask = (
  { service, account_id, remaining }: Lane,
  method: string,
  target: string,
  body?: object,
  headers = {},
): Promise<Answer> =>
  service.send(target, { method, ...(body && { body }), headers, claims: { account_id }, remaining });

const invoice = async (lane: Lane, body: object = {}) =>
  (await ask(lane, 'POST', '/v1/invoices', body)).headers['location'] as string;
const webhookEndpoint = async (lane: Lane) => {
  // An event, so that a rewind changes the position.
  await invoice(lane);
  await ask(lane, 'GET', '/v1/events');
  return (await ask(lane, 'POST', '/v1/webhook-endpoints', { url: 'https://example.com' })).headers[
    'location'
  ] as string;
};
const idOf = (path: string) => Number(path.split('/').at(-1));
const item = async (lane: Lane) => {
  const body = { invoice_id: idOf(await invoice(lane)), description: 'x', unit_amount_cents: 7 };
  return (await ask(lane, 'POST', '/v1/invoice-items', body)).headers['location'] as string;
};
const stored = ({ service, account_id }: Lane, table: Parameters<typeof rowsOf>[1]) =>
  rowsOf(service, table, account_id);
const keyed = () => ({ 'idempotency-key': randomUUID() });

/** A request to one endpoint and a check of its effect after a 2xx response. */
interface Scenario {
  readonly name: string;
  /** Creates the resources for the request, and returns a function that sends it: one try of the client per call. */
  prepare(lane: Lane): Promise<() => Promise<Answer>>;
  /** The status of a retry when the first try succeeded and only its response was lost. */
  readonly already?: number;
  check(answer: Answer, lane: Lane): Promise<void>;
}

/** The creation of a member of each collection, with a key: exactly one row more. */
const creations: readonly Scenario[] = operations.flatMap(([, operation]) => {
  const table = operation.returns[201]?.table as ResourceName | undefined;
  if (!table || !/^POST \/[a-z-]+$/.test(operation.route)) return [];
  const prepare: Scenario['prepare'] = async (lane) => {
    const claims = { account_id: lane.account_id };
    const { target, sent } = request(operation, 'v1', await createPrerequisites(lane.service, operation, claims));
    lane.rows = (await stored(lane, table)).length;
    return () => lane.service.send(target, { ...sent, claims, remaining: lane.remaining });
  };
  const check: Scenario['check'] = async ({ json }, lane) => {
    const rows = await stored(lane, table);
    expect([rows.length, rows.some(({ id }) => id === json.id)]).toEqual([lane.rows + 1, true]);
  };
  return [{ name: `${operation.route} with a key`, prepare, check }];
});

const SCENARIOS: readonly Scenario[] = [
  ...creations,
  {
    name: 'POST /invoices without a key',
    prepare: async (lane) => () => ask(lane, 'POST', '/v1/invoices', { customer_id: lane.customer_id }),
    check: async (_, lane) => {
      const { length } = await stored(lane, 'invoices');
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(lane.tries);
    },
  },
  {
    name: 'PATCH /invoices/<id> with If-Match',
    prepare: async (lane) => {
      const path = await invoice(lane);
      return () => ask(lane, 'PATCH', path, { description: 'changed' }, { 'if-match': '"1"' });
    },
    already: 412,
    check: async ({ headers }, lane) => {
      expect(headers['etag']).toBe('"2"');
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, description: 'changed' });
    },
  },
  {
    name: 'PATCH /invoices/<id>',
    prepare: async (lane) => {
      const path = await invoice(lane);
      return () => ask(lane, 'PATCH', path, { description: 'changed', customer_id: lane.customer_id });
    },
    check: async ({ headers }, lane) => {
      expect(headers['etag']).toBe('"2"');
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, description: 'changed' });
    },
  },
  {
    name: 'PUT /invoices/<id>',
    prepare: async (lane) => {
      const path = await invoice(lane, { customer_id: lane.customer_id });
      return () => ask(lane, 'PUT', path, { total_cents: 5 });
    },
    check: async (_, lane) =>
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, total_cents: 5, customer_id: null }),
  },
  {
    name: 'PATCH /customers/<id>',
    prepare: async (lane) => () => ask(lane, 'PATCH', `/v1/customers/${lane.customer_id}`, { name: 'z' }),
    check: async (_, lane) => expect((await stored(lane, 'customers'))[0]).toMatchObject({ version: 2, name: 'z' }),
  },
  {
    name: 'PUT /customers/<id>',
    prepare: async (lane) => () => ask(lane, 'PUT', `/v1/customers/${lane.customer_id}`, { name: 'z' }),
    check: async (_, lane) => expect((await stored(lane, 'customers'))[0]).toMatchObject({ version: 2, name: 'z' }),
  },
  {
    name: 'DELETE /customers/<id>',
    prepare: async (lane) => () => ask(lane, 'DELETE', `/v1/customers/${lane.customer_id}`),
    already: 404,
    check: async (_, lane) => expect(await stored(lane, 'customers')).toEqual([]),
  },
  {
    name: 'DELETE /invoices/<id>',
    prepare: async (lane) => {
      const path = await invoice(lane, { customer_id: lane.customer_id });
      return () => ask(lane, 'DELETE', path);
    },
    already: 404,
    check: async (_, lane) => expect(await stored(lane, 'invoices')).toEqual([]),
  },
  {
    name: 'POST /invoices/<id>/cancel with a key',
    prepare: async (lane) => {
      const path = await invoice(lane);
      const key = keyed();
      return () => ask(lane, 'POST', `${path}/cancel`, undefined, key);
    },
    check: async ({ headers }, lane) => {
      expect(headers['etag']).toBe('"2"');
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, status: 'canceled' });
    },
  },
  {
    name: 'POST /invoices/<id>/cancel without a key',
    prepare: async (lane) => {
      const path = await invoice(lane);
      return () => ask(lane, 'POST', `${path}/cancel`);
    },
    check: async (_, lane) =>
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, status: 'canceled' }),
  },
  {
    name: 'POST /payments',
    prepare: async (lane) => {
      const path = await invoice(lane, { total_cents: 100 });
      const key = keyed();
      return () => ask(lane, 'POST', '/v1/payments', { invoice_id: idOf(path), amount_cents: 100 }, key);
    },
    check: async ({ json }, lane) => {
      expect(await stored(lane, 'payments')).toEqual([expect.objectContaining({ id: json.id, version: 1 })]);
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, status: 'paid', amount_paid_cents: 100 });
    },
  },
  {
    name: 'POST /refunds',
    prepare: async (lane) => {
      const invoice_id = idOf(await invoice(lane, { total_cents: 100 }));
      const payment = await ask(lane, 'POST', '/v1/payments', { invoice_id, amount_cents: 90 }, keyed());
      const key = keyed();
      return () => ask(lane, 'POST', '/v1/refunds', { payment_id: payment.json.id, amount_cents: 60 }, key);
    },
    check: async ({ json }, lane) => {
      expect(await stored(lane, 'refunds')).toEqual([expect.objectContaining({ id: json.id, amount_cents: 60 })]);
      expect((await stored(lane, 'payments'))[0]).toMatchObject({ version: 2, amount_refunded_cents: 60 });
    },
  },
  {
    name: 'POST /invoice-items, and the total',
    prepare: async (lane) => {
      const body = { invoice_id: idOf(await invoice(lane)), description: 'x', unit_amount_cents: 7 };
      const key = keyed();
      return () => ask(lane, 'POST', '/v1/invoice-items', body, key);
    },
    check: async ({ json }, lane) => {
      expect(await stored(lane, 'invoiceItems')).toEqual([expect.objectContaining({ id: json.id, version: 1 })]);
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, total_cents: 7 });
    },
  },
  {
    name: 'PATCH /invoice-items/<id>',
    prepare: async (lane) => {
      const path = await item(lane);
      return () => ask(lane, 'PATCH', path, { quantity: 3 });
    },
    check: async (_, lane) => {
      expect((await stored(lane, 'invoiceItems'))[0]).toMatchObject({ version: 2, quantity: 3 });
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 3, total_cents: 21 });
    },
  },
  {
    name: 'PUT /invoice-items/<id> with the same total',
    prepare: async (lane) => {
      const path = await item(lane);
      const [{ invoice_id }] = (await stored(lane, 'invoiceItems')) as [Record<string, unknown>];
      return () => ask(lane, 'PUT', path, { invoice_id, description: 'y', unit_amount_cents: 7 });
    },
    check: async (_, lane) => {
      expect((await stored(lane, 'invoiceItems'))[0]).toMatchObject({ version: 2, description: 'y' });
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 2, total_cents: 7 });
    },
  },
  {
    name: 'DELETE /invoice-items/<id>',
    prepare: async (lane) => {
      const path = await item(lane);
      return () => ask(lane, 'DELETE', path);
    },
    already: 404,
    check: async (_, lane) => {
      expect(await stored(lane, 'invoiceItems')).toEqual([]);
      expect((await stored(lane, 'invoices'))[0]).toMatchObject({ version: 3, total_cents: 0 });
    },
  },
  {
    name: 'DELETE /invoices/<id> with its items',
    prepare: async (lane) => {
      await item(lane);
      const [{ id }] = (await stored(lane, 'invoices')) as [Record<string, unknown>];
      return () => ask(lane, 'DELETE', `/v1/invoices/${id}`);
    },
    already: 404,
    check: async (_, lane) => {
      expect([await stored(lane, 'invoices'), await stored(lane, 'invoiceItems')]).toEqual([[], []]);
    },
  },
  {
    name: 'POST /exports with a key',
    prepare: async (lane) => {
      const key = keyed();
      return () => ask(lane, 'POST', '/v1/exports', { type: 'customers', format: 'csv' }, key);
    },
    check: async ({ json }, lane) =>
      expect(await stored(lane, 'exports')).toEqual([expect.objectContaining({ id: json.id, status: 'pending' })]),
  },
  {
    name: 'POST /exports/<id>/cancel',
    prepare: async (lane) => {
      const answer = await ask(lane, 'POST', '/v1/exports', { type: 'customers', format: 'csv' });
      return () => ask(lane, 'POST', `${answer.headers['location']}/cancel`);
    },
    check: async (_, lane) => {
      expect((await stored(lane, 'exports'))[0]).toMatchObject({ version: 2, status: 'canceled' });
      expect((await stored(lane, 'exports'))[0]).not.toHaveProperty('by_due_at');
    },
  },
  {
    name: 'PATCH /webhook-endpoints/<id>',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      return () => ask(lane, 'PATCH', path, { status: 'disabled' });
    },
    check: async (_, lane) =>
      expect((await stored(lane, 'webhookEndpoints'))[0]).toMatchObject({ version: 2, disabled_reason: 'requested' }),
  },
  {
    name: 'DELETE /webhook-endpoints/<id>',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      return () => ask(lane, 'DELETE', path);
    },
    already: 404,
    check: async (_, lane) => {
      expect(await stored(lane, 'webhookEndpoints')).toEqual([]);
      expect(await stored(lane, 'counters')).toMatchObject([{ webhook_endpoints: 0 }]);
    },
  },
  {
    name: 'POST /webhook-endpoints/<id>/rotate-secret with a key',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      const key = keyed();
      return () => ask(lane, 'POST', `${path}/rotate-secret`, undefined, key);
    },
    check: async ({ json }, lane) => {
      const [{ version, secrets }] = (await stored(lane, 'webhookEndpoints')) as [Record<string, { value: string }[]>];
      expect([version, secrets?.length, secrets?.[0]?.value]).toEqual([2, 2, json.secret]);
    },
  },
  {
    name: 'POST /webhook-endpoints/<id>/test with a key',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      const key = keyed();
      return () => ask(lane, 'POST', `${path}/test`, undefined, key);
    },
    check: async ({ json }, lane) =>
      expect(await stored(lane, 'webhookDeliveries')).toMatchObject([{ id: json.id, version: 1 }]),
  },
  {
    name: 'POST /webhook-endpoints/<id>/rewind with a key',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      const key = keyed();
      return () => ask(lane, 'POST', `${path}/rewind`, { sequence: 0 }, key);
    },
    check: async ({ headers }, lane) => {
      expect(headers['etag']).toBe('"1"');
      expect((await stored(lane, 'webhookEndpoints'))[0]).toMatchObject({ version: 1, position: 0, position_id: 0 });
    },
  },
  {
    name: 'POST /webhook-endpoints/<id>/rewind',
    prepare: async (lane) => {
      const path = await webhookEndpoint(lane);
      return () => ask(lane, 'POST', `${path}/rewind`, { sequence: 0 });
    },
    // At most one rewind a minute.
    already: 429,
    check: async (_, lane) =>
      expect((await stored(lane, 'webhookEndpoints'))[0]).toMatchObject({ version: 1, position: 0, position_id: 0 }),
  },
  {
    name: 'POST /webhook-deliveries/<id>/retry with a key',
    prepare: async (lane) => {
      const key = keyed();
      const claims = { account_id: lane.account_id };
      const { webhook_delivery_id } = await createPrerequisites(lane.service, retryDelivery, claims);
      return () => ask(lane, 'POST', `/v1/webhook-deliveries/${webhook_delivery_id}/retry`, undefined, key);
    },
    check: async (_, lane) =>
      expect(await stored(lane, 'webhookDeliveries')).toMatchObject([{ version: 2, status: 'pending', step: 0 }]),
  },
  {
    name: 'GET /v2/invoice-items',
    prepare: async (lane) => {
      await item(lane);
      return () => ask(lane, 'GET', '/v2/invoice-items');
    },
    check: async ({ json }) => expect(json.data[0].amount).toEqual({ amount: 7, currency: 'USD' }),
  },
  {
    name: 'GET /invoices/<id>/payments',
    prepare: async (lane) => {
      const path = await invoice(lane, { total_cents: 100 });
      await ask(lane, 'POST', '/v1/payments', { invoice_id: idOf(path), amount_cents: 90 }, keyed());
      return () => ask(lane, 'GET', `${path}/payments`);
    },
    check: async ({ json }) => expect(json.data).toHaveLength(1),
  },
  {
    name: 'GET /invoices/<id>?expand=customer',
    prepare: async (lane) => {
      const path = await invoice(lane, { customer_id: lane.customer_id });
      return () => ask(lane, 'GET', `${path}?expand=customer`);
    },
    check: async ({ json }, lane) => expect(json.customer.id).toBe(lane.customer_id),
  },
  {
    name: 'GET /invoices?status=open&expand=customer',
    prepare: async (lane) => {
      await invoice(lane, { customer_id: lane.customer_id });
      return () => ask(lane, 'GET', '/v1/invoices?status=open&expand=customer');
    },
    check: async ({ json }, lane) => expect(json.data[0].customer.id).toBe(lane.customer_id),
  },
  {
    name: 'GET /invoices?page=2&per_page=1',
    prepare: async (lane) => {
      for (let i = 0; i < 3; i++) await invoice(lane);
      return () => ask(lane, 'GET', '/v1/invoices?page=2&per_page=1');
    },
    check: async ({ json }) => expect([json.data.length, json.total_count]).toEqual([1, 3]),
  },
  {
    name: 'GET /customers/<id>',
    prepare: async (lane) => () => ask(lane, 'GET', `/v1/customers/${lane.customer_id}`),
    check: async ({ json }, lane) => expect(json.id).toBe(lane.customer_id),
  },
  {
    name: 'GET /customers?email=…',
    prepare: async (lane) => {
      await ask(lane, 'PATCH', `/v1/customers/${lane.customer_id}`, { email: 'a@example.com' });
      return () => ask(lane, 'GET', '/v1/customers?email=a@example.com');
    },
    check: async ({ json }) => expect(json.data).toHaveLength(1),
  },
];

const written = operations.filter(([, { route }]) => !route.startsWith('GET '));

test.each(written.map(([, { route }]) => route.replaceAll(/\{\w+\}/g, '<id>')))(
  '%s, an operation that writes: at least one scenario exists',
  (route) => {
    expect(SCENARIOS.filter(({ name }) => name === route || new RegExp(`^${route}[ ,]`).test(name))).not.toEqual([]);
  },
);

const STRIDE = stride(8);
const isFailure = ({ status }: Answer) => status >= 400;

const expectRetryable = (answer: Answer, kind: Fault) => {
  if (kind.startsWith('crash') && answer.status === 500) return expect(answer.json.code).toBe('internal-error');
  expect([`503 unavailable`, `409 request-in-progress`]).toContain(`${answer.status} ${answer.json.code}`);
  expect(answer.headers['retry-after']).toBe('1');
};

/** Injects the lane's fault into call 1, 2, 3 … of the request, each time followed by the client's retry. */
const tryAll = async (lane: Lane, lasting: keyof typeof LASTING, { prepare, check, already }: Scenario) => {
  const { kind, faults } = lane;
  const first = 1 + (lanes.indexOf(lane) % STRIDE);
  for (let from = first, calls = first; from <= calls + 1; from += STRIDE) {
    await retryWithoutDelay(lane.service.client);
    lane.remaining = REMAINING.once;
    lane.account_id = `acct_${randomUUID().slice(0, 8)}`;
    lane.customer_id = (await ask(lane, 'POST', '/v1/customers', { name: 'x' })).json.id;
    const attempt = await prepare(lane);
    lane.remaining = REMAINING[lasting];
    faults.plan(({ number, command }) => {
      const isRead = /^(Get|BatchGet|Query)/.test(command);
      return LASTING[lasting](from, number) && !(kind === 'conflict' && isRead) ? kind : undefined;
    });
    const response = await attempt();
    calls = faults.attempts.length;
    faults.plan();
    if (isFailure(response)) expectRetryable(response, kind);
    lane.remaining = REMAINING.once;
    lane.tries = isFailure(response) ? 2 : 1;
    const last = isFailure(response) ? await attempt() : response;
    if (last.status !== already || !isFailure(response)) expect(last.status).toBeLessThan(300);
    await check(last, lane);
    if (isDeep) await checkInvariants(lane.service, lane.account_id);
  }
};

const DURATIONS = ['once', 'for one call', 'for good'] as const;

// A part of the tests takes a sixth of the faults for each scenario and duration, at every sixth call.
describe.each(SCENARIOS)('$name, any fault at any AWS call, then a retry', (scenario) => {
  test.each(DURATIONS)(
    'the fault occurs %s: exactly one effect [CONTRACT §8, CONTRACT §10]',
    async (lasting) => {
      // Waits for all lanes: a lane that still runs would disturb the next test.
      const own = partOf(lanes, 6, SCENARIOS.indexOf(scenario) + DURATIONS.indexOf(lasting));
      const ends = await Promise.allSettled(own.map((lane) => tryAll(lane, lasting, scenario)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
    60_000,
  );
});

test('after all of these requests: the tables have every invariant [CONTRACT §4]', async () => {
  for (const { service } of lanes) await checkInvariants(service);
}, 60_000);
