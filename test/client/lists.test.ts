import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Client } from '#client/source/index.ts';
import { type Served, serveApi } from './serve-api.ts';

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

const collect = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
};
const paths = () => served.wire.calls.map(({ path }) => path);

test('a list by cursor: the rows of all pages in order [§4]', async () => {
  const rows = await collect(client.invoices.list({ limit: 10 }));
  expect(rows.map(({ id }) => id)).toEqual(ids);
  expect(paths().length).toBe(3);
  expect(paths()[0]).toBe('/v1/invoices?limit=10');
  expect(paths()[1]).toMatch(/^\/v1\/invoices\?limit=10&after=.+$/);
});

test('the list of events: ends after the last event, although its last page has a cursor [CONTRACT §14]', async () => {
  const events = await collect(client.events.list({ limit: 20 }));
  expect(events.map(({ sequence }) => sequence)).toEqual(ids.map((_, index) => index + 1));
  expect(paths().length).toBe(2);
});

test('a list by page number: the rows from this page on [§4]', async () => {
  const rows = await collect(client.invoices.list({ page: 2, per_page: 10 }));
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(10));
  expect(paths()).toEqual(['/v1/invoices?page=2&per_page=10', '/v1/invoices?page=3&per_page=10']);
});

test('pages() and an awaited list: the pages as the service sends them, in both styles [§4]', async () => {
  const byCursor = await collect(client.invoices.list({ limit: 20 }).pages());
  expect(byCursor.map(({ data, has_more }) => [data.length, has_more])).toEqual([
    [20, true],
    [5, false],
  ]);
  const byNumber = await collect(client.invoices.list({ page: 1, per_page: 20 }).pages());
  expect(byNumber.map(({ data, page, total_count }) => [data.length, page, total_count])).toEqual([
    [20, 1, 25],
    [5, 2, 25],
  ]);
  expect(await client.invoices.list({ page: 2, per_page: 20 })).toEqual(byNumber[1]);
  const { next_cursor } = await client.invoices.list({ limit: 20 });
  expect(await collect(client.invoices.list({ after: String(next_cursor) }))).toHaveLength(5);
});

test('a page past the end, or an empty collection: one request returns no rows', async () => {
  expect(await collect(client.invoices.list({ page: 9 }))).toEqual([]);
  expect(await collect(client.refunds.list())).toEqual([]);
  expect(paths().length).toBe(2);
});

test('a list that is not iterated: no request; a loop that ends early: no further page', async () => {
  const listing = client.invoices.list({ limit: 10 });
  expect(paths()).toEqual([]);
  for await (const { id } of listing) if (id === ids[9]) break;
  expect(paths().length).toBe(1);
});

test('a list that is iterated twice: starts from the beginning again', async () => {
  const listing = client.invoices.list({ limit: 100 });
  expect(await collect(listing)).toEqual(await collect(listing));
});

test('fields, expand, filters and order: sent with every page [§4]', async () => {
  const rows = await collect(
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

test('a page whose response is lost: requested again', async () => {
  served.wire.plan((_, call) => (call === 1 ? 'lost-response' : undefined));
  expect((await collect(client.invoices.list({ limit: 10 }))).map(({ id }) => id)).toEqual(ids);
  expect(paths().length).toBe(4);
});

test('the payments of an invoice: a list in pages', async () => {
  const payable = ids.at(-1) as number;
  const first = await client.payments.create({ invoice_id: payable, amount_cents: 1 });
  const second = await client.payments.create({ invoice_id: payable, amount_cents: 2 });
  const all = await collect(client.invoices.payments(payable).list({ limit: 1, fields: ['id'] }));
  expect(all).toEqual([{ id: first.id }, { id: second.id }]);
});
