import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { follow } from '#test/support/state/feed.ts';
import { checkPageIndex, createSealer, putOldCustomers } from '#test/support/state/pages.ts';

const LATER_MS = 61_000;

let make: Makers;
let account_id: string;
const service = await startService();
const faults = injectFaults(service.client);
const sealer = createSealer(service);
afterAll(() => service.stop());
beforeEach(() => {
  stopClock();
  account_id = newAccount();
  make = makers(service, { account: account_id });
});
afterEach(() => {
  faults.plan();
  jest.useRealTimers();
});

const seal = async (table: 'customers' | 'invoices' | 'events'): Promise<void> => {
  jest.setSystemTime(Date.now() + LATER_MS);
  await sealer.index(account_id, table).request();
  await sealer.run();
};
const put = (count: number) => putOldCustomers(service, account_id, count);
const request = () => sealer.index(account_id, 'customers').findRequest();
const page = (number = 1) => make.send('GET', `/v1/customers?page=${number}`);

deepTest(
  'a sealed invoice with 90 items and a customer: deleted in one transaction of 95 actions [CONTRACT §4, §5]',
  async () => {
    const { id: customer_id } = await make.customer();
    const { id: invoice_id } = await make.invoice({ customer_id, total_cents: 0 });
    for (let i = 0; i < 90; i++) await make.item(invoice_id);
    await seal('invoices');
    let actions = 0;
    service.client.middlewareStack.add(
      (next) => (call) => {
        actions = Math.max(actions, (call.input as { TransactItems?: unknown[] }).TransactItems?.length ?? 0);
        return next(call);
      },
      { step: 'initialize', name: 'actions' },
    );
    expect((await make.send('DELETE', `/v1/invoices/${invoice_id}`)).status).toBe(204);
    service.client.middlewareStack.remove('actions');
    expect(actions).toBe(95);
    expect(await checkPageIndex(service, account_id, 'invoices')).toBe(0);
  },
);

test('a dry run of a delete: checks the conditions of the index, and changes nothing [CONTRACT §13]', async () => {
  const { id } = await make.customer();
  await seal('customers');
  expect((await make.send('DELETE', `/v1/customers/${id}?dry_run=true`)).status).toBe(204);
  expect(await checkPageIndex(service, account_id, 'customers')).toBe(1);
});

test('counting takes too long: 503 with Retry-After, and sealing is requested [CONTRACT §5]', async () => {
  await put(4100);
  service.client.middlewareStack.add(
    (next) => (call) => {
      if ((call.input as { Select?: string }).Select === 'COUNT') jest.setSystemTime(Date.now() + 8000);
      return next(call);
    },
    { step: 'initialize', name: 'slow' },
  );
  const { status, json, headers } = await page();
  service.client.middlewareStack.remove('slow');
  expect([status, json.code]).toEqual([503, 'unavailable']);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(await request()).toBeDefined();
  await sealer.run();
  expect((await page(205)).json).toMatchObject({ total_count: 4100, data: { length: 20 } });
});

deepTest('a run without time: the request stays, and the next run continues', async () => {
  await put(2400);
  await sealer.index(account_id, 'customers').request();
  await sealer.activate();
  let remaining = 60_000;
  faults.plan(({ command }) => {
    if (command === 'TransactWriteItemsCommand') remaining = 1000;
    return undefined;
  });
  await sealer.runRound(() => remaining);
  expect(await checkPageIndex(service, account_id, 'customers')).toBe(2304);
  expect(await request()).toBeDefined();
  faults.plan();
  await sealer.run();
  expect(await checkPageIndex(service, account_id, 'customers')).toBe(2400);
  expect(await request()).toBeUndefined();
});

test('events by page number, in both orders and with bounds: the events of the feed, with the exact total [CONTRACT §5, §14]', async () => {
  const bounds: string[] = [];
  for (let i = 0; i < 130; i++) {
    if (i === 20 || i === 100) {
      await make.send('GET', '/v1/events');
      jest.setSystemTime(Date.now() + LATER_MS);
      bounds.push(new Date(Date.now()).toISOString());
      jest.setSystemTime(Date.now() + 1000);
    }
    await make.customer();
  }
  await make.send('GET', '/v1/events');
  await seal('events');
  await make.customer();
  const { events } = await follow(service, { account: account_id });
  expect(events).toHaveLength(131);
  expect(await checkPageIndex(service, account_id, 'events')).toBe(130);
  const [from, before] = bounds;
  for (const [query, expected] of [
    ['', events],
    [`&created_from=${from}`, events.slice(20)],
    [`&created_before=${before}`, events.slice(0, 100)],
    [`&created_from=${from}&created_before=${before}`, events.slice(20, 100)],
  ] as const) {
    for (const sort of ['id', '-id']) {
      const all = sort === 'id' ? expected : expected.toReversed();
      for (let number = 1; number <= 5; number++) {
        const { json } = await make.send('GET', `/v1/events?page=${number}&per_page=30&sort=${sort}${query}`);
        const ids = json.data.map(({ id }: { id: number }) => id);
        const slice = all.slice((number - 1) * 30, number * 30).map(({ id }) => id);
        expect([query, sort, number, json.total_count, ids]).toEqual([query, sort, number, all.length, slice]);
      }
    }
  }
});
