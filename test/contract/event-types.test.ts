import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { hasId, isWrite, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { type Exports, startExports } from '#test/support/exports.ts';
import {
  differences,
  type FeedEvent,
  follow,
  type ResourceState,
  readAccount,
  readResource,
} from '#test/support/feed.ts';
import { createPrerequisites, operations, request } from '#test/support/requests.ts';
import type { Answer } from '#test/support/service.ts';

/*
 * The events of every write, and of the export worker (CONTRACT §14). The types are written by hand from the contract.
 * The rest of each event is compared with GET before and after the write.
 */

let service: Exports;
let account_id: string;

beforeAll(async () => {
  service = await startExports();
});
afterAll(() => service.stop());
beforeEach(() => {
  account_id = `acct_${randomUUID().slice(0, 8)}`;
});

const SUB = 'user_events';
const ask = (method: string, target: string, body?: object): Promise<Answer> =>
  service.send(target, {
    method,
    ...(body && { body }),
    headers: method === 'POST' ? { 'idempotency-key': randomUUID() } : {},
    claims: { account_id, sub: SUB },
  });
const create = async (collection: string, body: object): Promise<number> => {
  const { status, json, text } = await ask('POST', `/v1/${collection}`, body);
  if (status >= 300) throw new Error(text);
  return json.id;
};
const customer = () => create('customers', { name: 'Ada' });
const invoice = (body: object = {}) => create('invoices', { total_cents: 100, ...body });
const pay = (invoice_id: number, amount_cents: number) => create('payments', { invoice_id, amount_cents });
const item = async (invoice_id: number, unit_amount_cents = 5) =>
  create('invoice-items', { invoice_id, description: 'Work', unit_amount_cents });
const itemized = () => invoice({ total_cents: 0 });
const webhook = () => create('webhook-endpoints', { url: 'https://example.com/hooks' });
const exported = () => create('exports', { type: 'customers', format: 'csv' });

/** A write: creates what it needs, and returns its path without the version, and its body under v1 and v2. */
interface Scenario {
  readonly types: readonly string[];
  /** The changed fields whose values GET does not show. */
  readonly secret?: readonly string[];
  readonly prepare: () => Promise<{ path: string; body?: object; v2?: object }>;
}

const on = async (collection: string, id: Promise<number>, body?: object, v2 = body) => ({
  path: `/${collection}/${await id}`,
  ...(body && { body, v2: v2 as object }),
});

const money = (amount: number) => ({ amount, currency: 'USD' });

const payment = async (id: Promise<number>, amount: number) => {
  const invoice_id = await id;
  const body = { invoice_id, amount_cents: amount };
  return { path: '/payments', body, v2: { invoice_id, amount: money(amount) } };
};

const refund = async (id: Promise<number>, amount: number) => {
  const payment_id = await id;
  return { path: '/refunds', body: { payment_id, amount_cents: amount }, v2: { payment_id, amount: money(amount) } };
};

const newItem = async (id: Promise<number>, amount: number) => {
  const invoice_id = await id;
  const description = 'Work';
  const body = { invoice_id, description, unit_amount_cents: amount };
  return { path: '/invoice-items', body, v2: { invoice_id, description, unit_amount: money(amount) } };
};

const paymentOf = async (total: number, amount: number) => pay(await invoice({ total_cents: total }), amount);
const refundedPayment = async () => {
  const payment_id = await paymentOf(100, 60);
  await create('refunds', { payment_id, amount_cents: 10 });
  return payment_id;
};
const itemizedWith = async (...amounts: number[]) => {
  const id = await itemized();
  for (const amount of amounts) await item(id, amount);
  return id;
};
const itemOf = async (amount = 5) => item(await itemized(), amount);
const partlyPaid = async () => {
  const id = await invoice();
  await pay(id, 40);
  return id;
};

const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  'customers/update': [
    { types: ['customer.updated'], prepare: () => on('customers', customer(), { email: 'a@b.co' }) },
  ],
  'customers/replace': [{ types: ['customer.updated'], prepare: () => on('customers', customer(), { name: 'Bob' }) }],
  'customers/delete': [{ types: ['customer.deleted'], prepare: () => on('customers', customer()) }],
  'invoices/create': [
    {
      types: ['invoice.created'],
      prepare: async () => {
        const body = { customer_id: await customer() };
        return { path: '/invoices', body, v2: body };
      },
    },
  ],
  'invoices/update': [
    { types: ['invoice.updated'], prepare: () => on('invoices', invoice(), { description: 'x' }) },
    { types: ['invoice.updated'], prepare: () => on('invoices', invoice(), { total_cents: 7 }, { total: money(7) }) },
    {
      types: ['invoice.updated'],
      prepare: async () =>
        on('invoices', invoice({ customer_id: await customer() }), { customer_id: await customer() }),
    },
    {
      types: ['invoice.opened'],
      prepare: () => on('invoices', invoice({ status: 'draft' }), { status: 'open', description: 'x' }),
    },
    { types: ['invoice.paid'], prepare: () => on('invoices', invoice(), { status: 'paid' }) },
    { types: ['invoice.paid'], prepare: () => on('invoices', partlyPaid(), { total_cents: 40 }, { total: money(40) }) },
  ],
  'invoices/replace': [
    { types: ['invoice.updated'], prepare: () => on('invoices', invoice(), { total_cents: 7 }, { total: money(7) }) },
    { types: ['invoice.opened'], prepare: () => on('invoices', invoice({ status: 'draft' }), { status: 'open' }) },
  ],
  'invoices/delete': [
    { types: ['invoice.deleted'], prepare: async () => on('invoices', invoice({ customer_id: await customer() })) },
    {
      types: ['invoice.deleted', 'invoice_item.deleted', 'invoice_item.deleted'],
      prepare: async () => {
        const id = await itemizedWith(5);
        const second = await item(id, 7);
        // The second item has another version than the first.
        await ask('PATCH', `/v1/invoice-items/${second}`, { description: 'New' });
        return on('invoices', Promise.resolve(id));
      },
    },
  ],
  'invoices/cancel': [
    { types: ['invoice.canceled'], prepare: async () => ({ path: `/invoices/${await invoice()}/cancel` }) },
  ],
  'invoice-items/create': [
    { types: ['invoice.updated', 'invoice_item.created'], prepare: () => newItem(itemized(), 5) },
    // The version of the invoice changes, its fields do not.
    { types: ['invoice.updated', 'invoice_item.created'], prepare: () => newItem(itemizedWith(5), 0) },
  ],
  'invoice-items/update': [
    { types: ['invoice_item.updated'], prepare: () => on('invoice-items', itemOf(), { description: 'New' }) },
    {
      types: ['invoice.updated', 'invoice_item.updated'],
      prepare: () => on('invoice-items', itemOf(), { quantity: 3 }),
    },
  ],
  'invoice-items/replace': [
    {
      types: ['invoice.updated', 'invoice_item.updated'],
      prepare: async () => {
        const invoice_id = await itemized();
        const body = { invoice_id, description: 'New', unit_amount_cents: 9 };
        const v2 = { invoice_id, description: 'New', unit_amount: money(9) };
        return on('invoice-items', item(invoice_id), body, v2);
      },
    },
  ],
  'invoice-items/delete': [
    { types: ['invoice.updated', 'invoice_item.deleted'], prepare: () => on('invoice-items', itemOf()) },
  ],
  'payments/create': [
    { types: ['invoice.updated', 'payment.created'], prepare: () => payment(invoice(), 40) },
    { types: ['invoice.paid', 'payment.created'], prepare: () => payment(invoice(), 100) },
    { types: ['invoice.paid', 'payment.created'], prepare: () => payment(partlyPaid(), 60) },
  ],
  'refunds/create': [
    { types: ['payment.partially_refunded', 'refund.created'], prepare: () => refund(paymentOf(100, 60), 20) },
    { types: ['payment.refunded', 'refund.created'], prepare: () => refund(paymentOf(100, 60), 60) },
    { types: ['payment.updated', 'refund.created'], prepare: () => refund(refundedPayment(), 20) },
    { types: ['payment.refunded', 'refund.created'], prepare: () => refund(refundedPayment(), 50) },
  ],
  'exports/create': [
    {
      types: ['export.created'],
      prepare: async () => {
        const body = { type: 'customers', format: 'csv' };
        return { path: '/exports', body, v2: body };
      },
    },
  ],
  'webhook-endpoints/update': [
    { types: ['webhook_endpoint.updated'], prepare: () => on('webhook-endpoints', webhook(), { status: 'disabled' }) },
  ],
  'webhook-endpoints/delete': [
    { types: ['webhook_endpoint.deleted'], prepare: () => on('webhook-endpoints', webhook()) },
  ],
  'webhook-endpoints/rotate-secret': [
    {
      types: ['webhook_endpoint.updated'],
      secret: ['secret'],
      prepare: async () => ({ path: `/webhook-endpoints/${await webhook()}/rotate-secret` }),
    },
  ],
  'webhook-endpoints/test': [
    { types: [], prepare: async () => ({ path: `/webhook-endpoints/${await webhook()}/test` }) },
  ],
  'webhook-endpoints/rewind': [
    {
      types: [],
      prepare: async () => {
        await customer();
        const body = { sequence: 0 };
        return { path: `/webhook-endpoints/${await webhook()}/rewind`, body, v2: body };
      },
    },
  ],
  'webhook-deliveries/retry': [
    {
      types: [],
      prepare: async () => {
        const [, retry] = operations.find(([name]) => name === 'webhook-deliveries/retry') as (typeof operations)[0];
        const { webhook_delivery_id } = await createPrerequisites(service, retry, { account_id });
        return { path: `/webhook-deliveries/${webhook_delivery_id}/retry` };
      },
    },
  ],
  'exports/cancel': [
    { types: ['export.canceled'], prepare: async () => ({ path: `/exports/${await exported()}/cancel` }) },
  ],
};

const writes = operations.filter(([, operation]) => isWrite(operation));

/** A creation that changes nothing else needs no scenario of its own. */
const creationOf = (operation: Operation): Scenario[] => {
  const resource = operation.returns[201] ?? operation.returns[202];
  if (!resource || hasId(operation)) return [];
  const prepare = async () => {
    const ids = await createPrerequisites(service, operation, { account_id });
    const bodyIn = (version: Version) => request(operation, version, ids).sent.body as object;
    return { path: routeOf(operation).path, body: bodyIn('v1'), v2: bodyIn('v2') };
  };
  return [{ types: [`${resource.type}.created`], prepare }];
};

const scenariosOf = (name: string, operation: Operation): readonly Scenario[] =>
  SCENARIOS[name] ?? creationOf(operation);

test('every write of the API has a scenario', () => {
  expect(writes.filter(([name, operation]) => scenariosOf(name, operation).length === 0)).toEqual([]);
  expect(Object.keys(SCENARIOS).filter((name) => !writes.some(([file]) => file === name))).toEqual([]);
});

/** The changes between two states of an account: what its events must report. */
const expectedChanges = (before: Map<string, ResourceState>, after: Map<string, ResourceState>) =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((resource) => {
    const [old, now] = [before.get(resource), after.get(resource)];
    if (old && now) {
      return old.version === now.version ? [] : [{ resource, version: now.version, changed: differences(old, now) }];
    }
    return [{ resource, version: now ? 1 : (old as ResourceState).version, changed: [] }];
  });

const toChange = ({ resource_type, resource_id, version, changed }: FeedEvent) => ({
  resource: `${resource_type} ${resource_id}`,
  version,
  changed,
});

const byResource = (a: { resource: string }, b: { resource: string }) => (a.resource < b.resource ? -1 : 1);

const rows = writes.flatMap(([name, operation]) =>
  scenariosOf(name, operation).flatMap((scenario, i) =>
    (['v1', 'v2'] as const).map((version) => [name, version, i, operation, scenario] as const),
  ),
);

describe('the events of a write [CONTRACT §14]', () => {
  test.each(rows)('%s under %s, scenario %d', async (_, version, __, operation, { types, secret = [], prepare }) => {
    const { path, body, v2 } = await prepare();
    const claims = { account_id };
    const [before, { cursor }] = [await readAccount(service, claims), await follow(service, claims)];
    const [method = ''] = operation.route.split(' ');
    const answer = await ask(method, `/${version}${path}`, version === 'v1' ? body : v2);
    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
    const { events } = await follow(service, claims, { after: cursor });
    expect(events.map(({ type }) => type).sort()).toEqual(types);
    const expected = expectedChanges(before, await readAccount(service, claims));
    const visible = events.map(toChange).map(({ changed, ...change }) => ({
      ...change,
      changed: changed.filter((name) => !secret.includes(name)),
    }));
    expect(visible.sort(byResource)).toEqual(expected.sort(byResource));
    expect(events.flatMap(({ changed }) => changed)).toEqual(expect.arrayContaining([...secret]));
    for (const { actor, request_id } of events)
      expect([actor, request_id]).toEqual([SUB, answer.headers['x-request-id']]);
  });
});

describe('the events of the export worker [CONTRACT §14]', () => {
  /** Each state of the export, by version, as GET returned it right after the worker's commit. */
  const states = new Map<number, ResourceState>();
  let watched: number | undefined;

  const watch = async () => {
    if (watched === undefined) return;
    const state = await readResource(service, { account_id }, 'export', watched);
    if (state) states.set(state.version, state);
  };

  beforeAll(() => {
    service.own.dynamo.middlewareStack.add(
      (next, context) => async (call) => {
        const result = await next(call);
        if (/^(Update|TransactWrite)/.test(String(context.commandName))) await watch();
        return result;
      },
      { step: 'initialize', priority: 'high', name: 'watch' },
    );
  });
  beforeEach(async () => {
    await service.purge();
    states.clear();
    watched = undefined;
  });

  const SMALL_PARTS: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => exportFile(message, stores, 1),
  };

  const begin = async (): Promise<number> => {
    for (const name of ['Ada', 'Bob', 'Cyd']) await create('customers', { name });
    watched = await exported();
    await watch();
    return watched;
  };

  /** Checks the events of the export after its creation against its states, and returns their types. */
  const checkEvents = async (id: number, actors: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    await watch();
    const { events } = await follow(service, { account_id }, { parameters: `&resource_id=${id}` });
    const [{ request_id: created } = { request_id: '' }, ...others] = events;
    for (const { version, changed, ...event } of others) {
      const [old, now] = [states.get(version - 1), states.get(version)] as [ResourceState, ResourceState];
      expect([event.type, changed]).toEqual([event.type, differences(old, now)]);
      expect(now.body['status']).toBe(event.type.split('.')[1]);
      expect([event.actor, event.request_id === created]).toEqual([actors[event.type] ?? null, false]);
    }
    return events.map(({ type }) => type);
  };

  test('a job in one attempt: running and completed', async () => {
    const id = await begin();
    await service.drain();
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job in several attempts: its progress and its later claims have no event', async () => {
    const id = await begin();
    await service.drain({ worker: SMALL_PARTS, remaining: 20_000 });
    expect(states.size).toBeGreaterThan(4);
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job that no worker starts: failed, and no event for the reminders', async () => {
    const id = await begin();
    for (let reminder = 1; reminder <= 6; reminder++) {
      await service.elapse(id, account_id);
      await service.reconcile();
    }
    expect(await checkEvents(id)).toEqual(['export.created', 'export.failed']);
  });

  test('a running job that a client cancels: canceled, with the client as the actor', async () => {
    const id = await begin();
    await service.work([{ account_id, export_id: id }], { worker: SMALL_PARTS, remaining: 20_000 });
    expect(states.get(Math.max(...states.keys()))?.body['status']).toBe('running');
    expect((await ask('POST', `/v1/exports/${id}/cancel`)).json.status).toBe('canceled');
    await watch();
    await service.drain();
    const types = ['export.created', 'export.running', 'export.canceled'];
    expect(await checkEvents(id, { 'export.canceled': SUB })).toEqual(types);
  });
});
