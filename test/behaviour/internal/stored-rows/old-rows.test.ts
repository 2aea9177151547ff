import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { backfill } from '#infra/operations/backfill.ts';
import { EXPORT_TYPES } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { jsonSchema } from '#shared/openapi/json-schema.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { indexesOf } from '#shared/platform/dynamodb/table.ts';
import { valueFor } from '#shared/platform/wire/field.ts';
import type { ResourceName, TableName } from '#shared/vocabulary.ts';
import { isDeep, partOf } from '#test/support/extent/extent.ts';
import { type Receiver, respond, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { readEverything } from '#test/support/requests/read-everything.ts';
import { operations, otherBodyOf, readableResources, request } from '#test/support/requests/requests.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { tableNamesOf } from '#test/support/service/deployment.ts';
import { type Makers, makers } from '#test/support/service/makers.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { FIXTURES, type Fixture, loadFixture, readRows, writeFixture } from './fixtures.ts';
import { storeRows } from './scenario.ts';

/*
 * Rows as each release stored them (test/fixtures/rows): this code reads, lists, exports, pays and deletes them.
 * `npm run release` adds the rows of its release.
 */

type Row = Answer['json'];

const THIS = 'this code';
const { RELEASE = 'present' } = process.env;
const account = `release_${RELEASE.replaceAll('.', '-')}`;
let service: Webhooks;
let present: Fixture;
let receiver: Receiver;
beforeAll(async () => {
  service = await startWebhooks();
  await storeRows(service, service.account(account));
  present = await readRows(service, account, RELEASE);
  if (process.env['RELEASE']) writeFixture(RELEASE, present);
  receiver = await startReceiver(respond(200));
});
afterAll(async () => {
  await receiver?.close();
  await service?.stop();
});

const RESOURCES = [...readableResources.values()];

const itemsOf = ({ tables: stored }: Fixture, table: string): Row[] =>
  (stored[table] ?? []).map((item) => unmarshall(item));

/** The attributes that each row of a table has now, except index keys. */
const attributesOf = (table: string): string[] => {
  const [first = {}, ...others] = itemsOf(present, table);
  const keys = indexesOf(tables[table as TableName]).flatMap(({ partition, sort }) => [partition, sort]);
  return Object.keys(first).filter((name) => !keys.includes(name) && others.every((row) => name in row));
};

/** The attributes that rows of a fixture lack. */
const missingIn = (fixture: Fixture): string[] =>
  RESOURCES.flatMap(({ table }) => {
    const rows = itemsOf(fixture, table);
    return attributesOf(table)
      .filter((name) => rows.some((row) => !(name in row)))
      .map((name) => `${table}.${name}`);
  });

const declared = RESOURCES.flatMap(({ table, storedBefore = {} }) =>
  Object.keys(storedBefore).map((name) => `${table}.${name}`),
);

test('an attribute that rows of a release lack: its entry in the list of resources has a value in `storedBefore`', () => {
  const missing = new Set(FIXTURES.flatMap(([, fixture]) => missingIn(fixture)));
  expect(declared.toSorted()).toEqual([...missing].toSorted());
});

test('the rows of this code: a row of each table, and each status of each resource', () => {
  expect(Object.keys(present.tables).filter((table) => itemsOf(present, table).length === 0)).toEqual(['limits']);
  for (const { table, fields } of RESOURCES) {
    const { status } = fields.v1;
    if (!status) continue;
    const { enum: statuses = [] } = jsonSchema(status.schema) as { enum?: string[] };
    const stored = itemsOf(present, table).map((row) => valueFor('status', status, row));
    expect([table, statuses.filter((one) => !stored.includes(one))]).toEqual([table, []]);
  }
});

type Selection = readonly (readonly [filter: string, value: string | number])[];

/** More selections, such as those of many events, are read in part. */
const MAX_SELECTIONS = 10;

/** Each value of each filter, and each combination of all filters. */
const selectionsOf = (rows: readonly Row[], filters: readonly string[]): readonly Selection[] => {
  const all = rows.flatMap((row): Selection[] => {
    const values = filters.flatMap((filter) => (row[filter] === null ? [] : [[filter, row[filter]] as const]));
    return [...values.map((value) => [value]), values].filter(({ length }) => length > 0);
  });
  const selections = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return partOf(selections, Math.ceil(selections.length / MAX_SELECTIONS));
};

/** Problems that the state of a row gives to a valid request. */
const REFUSALS = [
  ...['customer-in-use', 'delivery-not-retryable', 'export-not-cancelable'],
  ...['invoice-closed', 'invoice-has-payments', 'invoice-not-cancelable'],
];

/** The operations that change a member, without a nested one. */
const changes = operations.flatMap(([, operation]) => {
  const { method, path } = operation;
  return path.includes('{') && ['PATCH', 'DELETE', 'POST'].includes(method) ? [{ operation, method, path }] : [];
});

describe.each([...FIXTURES.map(([name]) => name), ...(isDeep ? [THIS] : [])])('rows that %s stored', (name) => {
  let fixture: Fixture;
  let caller: Caller;
  let make: Makers;
  const listOf = ({ collection }: Pick<Resource, 'collection'>, query = 'limit=100'): Promise<Row[]> =>
    make.list(`/v1/${collection}?${query}`);
  const idsOf = async (resource: Resource, query: object): Promise<number[]> =>
    (await listOf(resource, new URLSearchParams({ limit: '100', ...query }).toString())).map(({ id }) => id);

  beforeAll(async () => {
    fixture = FIXTURES.find(([one]) => one === name)?.[1] ?? present;
    caller = { account: fixture.account };
    make = makers(service, caller);
    if (fixture !== present) await loadFixture(service, fixture);
    const tableNames = tableNamesOf(service);
    for (const { table } of RESOURCES)
      for await (const _ of backfill({ dynamo: service.client, tableNames }, table as ResourceName));
    service.moveClock(3_600_000);
  });

  test('everything can be read, in each style and version, and the feed has no gaps', async () => {
    await readEverything(service, caller);
    const events = await make.list('/v1/events?limit=100');
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
  });

  test.each(RESOURCES.map((one) => [one.collection, one] as const))(
    '%s: each filter and sort has its rows',
    async (_, resource) => {
      const rows = await listOf(resource);
      const { filters, sorts = [] } = resource;
      for (const selection of selectionsOf(rows, filters)) {
        const matching = rows.filter((row) => selection.every(([filter, value]) => row[filter] === value));
        expect(await idsOf(resource, Object.fromEntries(selection))).toEqual(matching.map(({ id }) => id));
      }
      for (const { by, filters: required } of sorts)
        for (const selection of selectionsOf(rows, required)) {
          const matching = rows.filter(
            (row) => row[by] !== null && selection.every(([filter, value]) => row[filter] === value),
          );
          const sorted = matching.toSorted((a, b) => (a[by] === b[by] ? a.id - b.id : a[by] < b[by] ? -1 : 1));
          const query = { sort: by, ...Object.fromEntries(selection) };
          expect(await idsOf(resource, query)).toEqual(sorted.map(({ id }) => id));
        }
      const { json } = await make.send('GET', `/v1/${resource.collection}?page=1&per_page=2`);
      expect(json.total_count).toBe(rows.length);
    },
  );

  test('each change of each row, as a dry run: as the state permits', async () => {
    let count = 0;
    for (const { operation, method, path } of changes) {
      const resource = RESOURCES.find(({ collection }) => path.split('/')[1] === collection) as Resource;
      for (const row of await listOf(resource)) {
        const { target, sent } = request(operation, 'v1', { [`${resource.type}_id`]: row.id });
        const body = method === 'PATCH' ? otherBodyOf(operation) : sent.body;
        const { status, json } = await service.send(`${target}?dry_run=true`, {
          ...sent,
          ...(body !== undefined && { body }),
          as: caller,
        });
        if (status >= 300) expect([target, REFUSALS]).toEqual([target, expect.arrayContaining([json.code])]);
        else count += 1;
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  /** Handles the messages of both queues, which are one queue in tests. */
  const work = async (): Promise<void> => {
    for (let messages = await service.queue.receive(); messages.length > 0; messages = await service.queue.receive())
      for (const { Body = '' } of messages)
        await service.run(
          /export_id/.test(Body) ? 'workers/export' : 'workers/deliver',
          { Records: [recordOf(Body)] },
          300_000,
        );
  };

  test('exports and deliveries that wait: workers end them', async () => {
    const webhooks = RESOURCES.find(({ table }) => table === 'webhookEndpoints') as Resource;
    for (const { id } of await listOf(webhooks))
      expect(
        (await make.send('PATCH', `/v1/webhook-endpoints/${id}`, { url: receiver.url, status: 'enabled' })).status,
      ).toBe(200);
    await service.dispatch(fixture.account);
    await service.schedule('workers/reconcile');
    await work();
    expect(await make.list('/v1/webhook-deliveries?status=pending')).toEqual([]);
    for (const status of ['pending', 'running']) expect(await make.list(`/v1/exports?status=${status}`)).toEqual([]);
    const [succeeded] = await make.list('/v1/webhook-deliveries?status=succeeded');
    if (fixture.tables['webhookEndpoints']?.length) expect(succeeded.response_status).toBe(200);
  });

  test.each(EXPORT_TYPES)('an export of %s: it has all rows', async (type) => {
    const count = (await make.list(`/v1/${type}?limit=100`)).length;
    const { id } = await make.create('exports', { type, format: 'csv' });
    await work();
    expect(await make.get(`/v1/exports/${id}`)).toMatchObject({ status: 'completed', row_count: count });
  });

  test('open invoices are paid, payments are refunded, and rows are deleted', async () => {
    const open = await make.list('/v1/invoices?status=open');
    expect(open.length).toBeGreaterThan(0);
    for (const { id, amount_due_cents } of open.slice(1)) await make.payment(id, amount_due_cents);
    const payments = (await make.list('/v1/payments')).filter(({ status }) => status !== 'refunded');
    for (const { id } of payments) await make.create('refunds', { payment_id: id });
    expect(new Set((await make.list('/v1/payments')).map(({ status }) => status))).toEqual(
      new Set(payments.length ? ['refunded'] : []),
    );
    const deleted: string[] = [];
    for (const { operation, path } of changes.filter(({ method }) => method === 'DELETE')) {
      const [, collection = ''] = path.split('/');
      for (const { id } of await make.list(`/v1/${collection}`)) {
        const { status, json } = await make.send('DELETE', `/v1/${collection}/${id}`);
        expect([operation.route, status === 204 || REFUSALS.includes(json.code)]).toEqual([operation.route, true]);
        if (status === 204) deleted.push(collection);
      }
    }
    expect(deleted).toEqual(expect.arrayContaining(['customers', 'invoices']));
    await checkInvariants(service, fixture.account);
    await readEverything(service, caller);
  });
});
