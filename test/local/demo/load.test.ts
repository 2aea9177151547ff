import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { seed } from '#local/demo/seed.ts';
import { BUSINESSES } from '#local/demo/vocabulary.ts';
import type { Router } from '#local/gateway/invoke.ts';
import { INVOICE_STATUSES } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_STATUSES, type Payment, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { type Service, startService } from '#test/support/service/service.ts';
import { checkInvariants, rowsOf, scan } from '#test/support/state/invariants.ts';

/** Small, with invoices and payments of every status. */
const EVERY_STATUS = { customers: 10, invoicesEach: 7 };
const SMALL = { customers: 4, invoicesEach: 5 };
const NEVER_ABORTED = new AbortController().signal;

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const tokenOf = (account_id: string) => service.token({ account_id, sub: 'demo-data' });
const silent = () => () => {};
const loadDemoData = (
  route: Router = service.route,
  signal = NEVER_ABORTED,
  start: (steps: number) => () => void = silent,
  extent = SMALL,
) => seed(route, tokenOf, start, signal, extent);

/** The sorted rows of each account, without ids and times. */
const contents = async () => {
  const all = await Promise.all(
    BUSINESSES.map(async ({ account }) => {
      const rows = (table: Parameters<typeof rowsOf>[1]) => rowsOf(service, table, account);
      const [customers, invoices, items, payments, refunds] = await Promise.all([
        rows('customers'),
        rows('invoices'),
        rows('invoiceItems'),
        rows('payments'),
        rows('refunds'),
      ]);
      const demo = new Map(invoices.map(({ id, metadata }) => [id, (metadata as { demo: string }).demo]));
      return [
        ...customers.map(({ name, email, invoice_count }) => ({ name, email, invoice_count })),
        ...invoices.map(({ id, status, total_cents, due_date, amount_paid_cents }) => ({
          invoice: [demo.get(id), status, total_cents, due_date, amount_paid_cents],
        })),
        ...items.map(({ invoice_id, description, quantity }) => ({
          item: [demo.get(invoice_id), description, quantity],
        })),
        ...payments.map(({ reference, amount_cents, amount_refunded_cents }) => ({
          payment: [reference, amount_cents, amount_refunded_cents],
        })),
        ...refunds.map(({ invoice_id, reason, amount_cents }) => ({
          refund: [demo.get(invoice_id), reason, amount_cents],
        })),
      ]
        .map((row) => JSON.stringify(row))
        .sort();
    }),
  );
  expect(all.every((rows) => rows.length > 50)).toBe(true);
  return all;
};

/** Loads until so many POSTs are sent, then fails as if the process had ended; waits for the requests in flight. */
const interruptAfter = async (posts: number): Promise<void> => {
  let left = posts;
  const inFlight: Promise<unknown>[] = [];
  const route: Router = async (method, path) => {
    if (method === 'POST') left -= 1;
    if (left < 0) throw new Error('gone');
    const destination = await service.route(method, path);
    const handler = await destination.lambda.load();
    const load =
      async () =>
      (...call: Parameters<LambdaHandler>) => {
        const answer = handler(...call);
        inFlight.push(answer);
        return answer;
      };
    return { ...destination, lambda: { ...destination.lambda, load } };
  };
  await expect(loadDemoData(route)).rejects.toThrow('gone');
  await Promise.allSettled(inFlight);
};

deepTest('a load: invoices and payments of every status exist, and every invariant holds', async () => {
  let [steps, done] = [0, 0];
  const start = (of: number) => {
    steps = of;
    return () => {
      done += 1;
    };
  };
  expect(await loadDemoData(service.route, NEVER_ABORTED, start, EVERY_STATUS)).toBe(true);
  expect([steps, done]).toEqual([160, 160]);
  const [invoices, payments] = await Promise.all([scan(service, 'invoices'), scan(service, 'payments')]);
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(INVOICE_STATUSES));
  expect(new Set(payments.map((row) => paymentStatus(row as unknown as Payment)))).toEqual(new Set(PAYMENT_STATUSES));
  await checkInvariants(service);
});

test('a second load: adds nothing, and sends only GET', async () => {
  await loadDemoData();
  const before = await contents();
  const methods = new Set<string>();
  const watched: Router = (method, path) => {
    methods.add(method);
    return service.route(method, path);
  };
  expect(await loadDemoData(watched)).toBe(false);
  expect([...methods]).toEqual(['GET']);
  expect(await contents()).toEqual(before);
});

deepTest('a load after several interrupted ones: gives the data of an uninterrupted one', async () => {
  for (const posts of [3, 15, 30, 45]) await interruptAfter(posts);
  expect(await loadDemoData()).toBe(true);
  const resumed = await contents();
  await service.stop();
  service = await startService();
  await loadDemoData();
  expect(resumed).toEqual(await contents());
  await checkInvariants(service);
});

test('an aborted load: ends between two customers or invoices, and another load completes it', async () => {
  const stopping = new AbortController();
  let done = 0;
  const start = () => () => {
    done += 1;
    if (done === 15) stopping.abort();
  };
  expect(await loadDemoData(service.route, stopping.signal, start)).toBe(true);
  expect(done).toBeGreaterThanOrEqual(15);
  expect(done).toBeLessThan(45);
  expect(await loadDemoData()).toBe(true);
  expect(await loadDemoData()).toBe(false);
});

test('a request that the service refuses: one line names it', async () => {
  const refused = seed(service.route, async () => 'no token', silent, NEVER_ABORTED, SMALL);
  await expect(refused).rejects.toThrow(/^Cannot load the demo data: GET \/v1\/invoices\?limit=100.* returned 401 .*$/);
});
