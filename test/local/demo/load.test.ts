import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { planOf } from '#local/demo/plan.ts';
import { seed } from '#local/demo/seed.ts';
import { BUSINESSES } from '#local/demo/vocabulary.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { INVOICE_STATUSES } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_STATUSES, type Payment, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';

/** Small, with invoices and payments of every status. */
const EVERY_STATUS = { customers: 10, invoicesEach: 7 };
const SMALL = { customers: 4, invoicesEach: 5 };
const NEVER_ABORTED = new AbortController().signal;

let service: LocalService;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const tokenOf = (account: string) => service.token({ account, sub: 'demo-data' });
const silent = () => () => {};
const loadDemoData = (
  handle: Handle = service.handle,
  signal = NEVER_ABORTED,
  start: (steps: number) => () => void = silent,
  extent = SMALL,
) => seed(handle, tokenOf, start, signal, extent);

const COLLECTIONS = ['customers', 'invoices', 'invoiceItems', 'payments', 'refunds'] as const;

/** The number of rows of each collection. */
const stored = async () => Promise.all(COLLECTIONS.map(async (name) => (await scan(service, name)).length));
const planned = () => {
  const customers = BUSINESSES.flatMap((business) => planOf(business, SMALL, new Date()));
  const invoices = customers.flatMap((one) => one.invoices);
  const payments = invoices.flatMap((one) => one.payments);
  const [items, refunds] = [invoices.flatMap((one) => one.items), payments.flatMap((one) => one.refunds)];
  return [customers, invoices, items, payments, refunds].map(({ length }) => length);
};

deepTest('a load: invoices and payments of every status exist, and every invariant holds', async () => {
  let [steps, done] = [0, 0];
  const start = (of: number) => {
    steps = of;
    return () => {
      done += 1;
    };
  };
  expect(await loadDemoData(service.handle, NEVER_ABORTED, start, EVERY_STATUS)).toBe(true);
  expect([steps, done]).toEqual([160, 160]);
  const [invoices, payments] = await Promise.all([scan(service, 'invoices'), scan(service, 'payments')]);
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(INVOICE_STATUSES));
  expect(new Set(payments.map((row) => paymentStatus(row as unknown as Payment)))).toEqual(new Set(PAYMENT_STATUSES));
  await checkInvariants(service);
});

deepTest('a second load: adds nothing, and sends only GET', async () => {
  await loadDemoData();
  const methods = new Set<string>();
  const watched: Handle = (received) => {
    methods.add(received.method);
    return service.handle(received);
  };
  expect(await loadDemoData(watched)).toBe(false);
  expect([...methods]).toEqual(['GET']);
  expect(await stored()).toEqual(planned());
});

test('loads that fail between two requests: the next load adds the missing rows only', async () => {
  for (const posts of partOf([3, 15, 30, 45], 2, 1)) {
    let left = posts;
    const inFlight: Promise<unknown>[] = [];
    const failing: Handle = async (received) => {
      if (received.method === 'POST') left -= 1;
      if (left < 0) throw new Error('gone');
      const response = service.handle(received);
      inFlight.push(response);
      return response;
    };
    await expect(loadDemoData(failing)).rejects.toThrow('gone');
    await Promise.allSettled(inFlight);
  }
  expect(await loadDemoData()).toBe(true);
  expect(await stored()).toEqual(planned());
  await checkInvariants(service);
});

deepTest('an aborted load: ends between two customers or invoices, and another load completes it', async () => {
  const stopping = new AbortController();
  let done = 0;
  const start = () => () => {
    done += 1;
    if (done === 15) stopping.abort();
  };
  expect(await loadDemoData(service.handle, stopping.signal, start)).toBe(true);
  expect(done).toBeGreaterThanOrEqual(15);
  expect(done).toBeLessThan(45);
  expect(await loadDemoData()).toBe(true);
  expect(await loadDemoData()).toBe(false);
});

test('a request that the service refuses: one line names it', async () => {
  const refused = seed(service.handle, async () => 'no token', silent, NEVER_ABORTED, SMALL);
  await expect(refused).rejects.toThrow(/^Cannot load the demo data: GET \/v1\/invoices\?limit=100.* returned 401 .*$/);
});
