import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Client } from '#client/source/index.ts';
import { type Served, serveApi } from './served.ts';

const ROWS = 25;

let served: Served;
let client: Client<'v1'>;
let ids: number[];
beforeAll(async () => {
  served = await serveApi();
  client = served.client();
  ids = [];
  for (let i = 0; i < ROWS; i += 1) ids.push((await client.invoices.create({ total_cents: i })).id);
});
afterAll(() => served.stop());
beforeEach(() => served.wire.plan());

const collected = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
};
const paths = () => served.wire.calls.map(({ path }) => path);

test('§4 Pagination: rows are walked by cursor, page after page', async () => {
  const rows = await collected(client.invoices.list({ limit: 10 }));
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(paths().length).toBe(3);
  expect(paths()[0]).toBe('/v1/invoices?limit=10');
  expect(paths()[1]).toMatch(/^\/v1\/invoices\?limit=10&after=.+$/);
});

test('§4 Pagination: or by number, from the page that is named', async () => {
  const rows = await collected(client.invoices.list({ page: 2, per_page: 10 }));
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(10));
  expect(paths()).toEqual(['/v1/invoices?page=2&per_page=10', '/v1/invoices?page=3&per_page=10']);
});

test('pages can be had as they are, in both styles', async () => {
  const byCursor = await collected(client.invoices.list({ limit: 20 }).pages());
  expect(byCursor.map(({ data, has_more }) => [data.length, has_more])).toEqual([
    [20, true],
    [5, false],
  ]);
  const byNumber = await collected(client.invoices.list({ page: 1, per_page: 20 }).pages());
  expect(byNumber.map(({ data, page, total_count }) => [data.length, page, total_count])).toEqual([
    [20, 1, 25],
    [5, 2, 25],
  ]);
  const { next_cursor } = await client.invoices.list({ limit: 20 }).page();
  expect(await collected(client.invoices.list({ after: String(next_cursor) }))).toHaveLength(5);
});

test('a page past the end ends a walk, and so does an empty collection', async () => {
  expect(await collected(client.invoices.list({ page: 9 }))).toEqual([]);
  expect(await collected(client.refunds.list())).toEqual([]);
  expect(paths().length).toBe(2);
});

test('nothing is asked for before it is looked at, and no page more than is looked at', async () => {
  const listing = client.invoices.list({ limit: 10 });
  expect(paths()).toEqual([]);
  for await (const { id } of listing) if (id === ids[9]) break;
  expect(paths().length).toBe(1);
});

test('a list can be walked again, from its beginning', async () => {
  const listing = client.invoices.list({ limit: 100 });
  expect(await collected(listing)).toEqual(await collected(listing));
});

test('§4 Partial responses: fields, expand, filters and order go with every page', async () => {
  const rows = await collected(
    client.invoices.list({ status: 'open', sort: '-id', limit: 20, fields: ['id', 'status'], expand: ['customer'] }),
  );
  expect(rows).toEqual(
    ids
      .toReversed()
      .slice(0, rows.length)
      .map((id) => ({ id, status: 'open', customer: null })),
  );
  expect(rows.length).toBe(ROWS);
  for (const path of paths()) {
    expect(path).toContain('status=open&sort=-id&limit=20&fields=id%2Cstatus&expand=customer');
  }
});

test('§4 Pagination: rows that come and go do not disturb a walk by cursor', async () => {
  const met: number[] = [];
  const passing: number[] = [];
  for await (const { id } of client.invoices.list({ limit: 5 })) {
    met.push(id);
    if (met.length % 5 === 0 && passing.length < 3) {
      passing.push((await client.invoices.create({})).id);
      if (met.length === 5) await client.invoices.delete(passing[0] as number);
    }
  }
  expect(met.filter((id) => ids.includes(id))).toEqual(ids);
  expect(new Set(met).size).toBe(met.length);
  for (const id of passing.slice(1)) await client.invoices.delete(id);
});

test('a page is asked for again when its answer is lost', async () => {
  served.wire.plan((_, call) => (call === 1 ? 'lost-answer' : undefined));
  expect((await collected(client.invoices.list({ limit: 10 }))).map(({ id }) => id)).toEqual(ids);
  expect(paths().length).toBe(4);
});

test('the payments of an invoice are a list of their own', async () => {
  const payable = ids.at(-1) as number;
  const first = await client.payments.create({ invoice_id: payable, amount_cents: 1 });
  const second = await client.payments.create({ invoice_id: payable, amount_cents: 2 });
  const all = await collected(client.invoices.payments(payable).list({ limit: 1, fields: ['id'] }));
  expect(all).toEqual([{ id: first.id }, { id: second.id }]);
});

test('v2 is walked by cursor', async () => {
  const rows = await collected(served.client({ version: 'v2' }).invoices.list({ limit: 10, fields: ['total'] }));
  expect(rows.map(({ total }) => total.amount)).toEqual(ids.map((_, i) => i));
});
