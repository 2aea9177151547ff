import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { seed } from '#local/demo/seed.ts';
import { BUSINESSES } from '#local/demo/vocabulary.ts';
import type { Router } from '#local/gateway/invoke.ts';
import { INVOICE_STATUSES } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_STATUSES, type Payment, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { checkInvariants, rowsOf, scan } from '#test/support/invariants.ts';
import { type Service, startService } from '#test/support/service.ts';

/** Still with every story. */
const WHOLE = { customers: 10, invoicesEach: 7 };
const SMALL = { customers: 4, invoicesEach: 5 };
const NEVER = new AbortController().signal;

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const tokenOf = (account_id: string) => service.token({ account_id, sub: 'demo-data' });
const silent = () => () => {};
const seeded = (
  route: Router = service.route,
  signal = NEVER,
  start: (steps: number) => () => void = silent,
  extent = SMALL,
) => seed(route, tokenOf, start, signal, extent);

/** What an account holds, whichever ids and times it was given. */
const contents = async () => {
  const all = await Promise.all(
    BUSINESSES.map(async ({ account }) => {
      const rows = (table: Parameters<typeof rowsOf>[1]) => rowsOf(service, table, account);
      const [customers, invoices, items, payments, refunds] = await Promise.all([
        rows('customers'),
        rows('invoices'),
        rows('items'),
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

/** Loads until so many POSTs are sent, when the process that loads goes; waits for those that it had in hand. */
const cutShort = async (posts: number): Promise<void> => {
  let left = posts;
  const inHand: Promise<unknown>[] = [];
  const route: Router = async (method, path) => {
    if (method === 'POST') left -= 1;
    if (left < 0) throw new Error('gone');
    const destination = await service.route(method, path);
    const handler = await destination.lambda.load();
    const load =
      async () =>
      (...call: Parameters<LambdaHandler>) => {
        const answer = handler(...call);
        inHand.push(answer);
        return answer;
      };
    return { ...destination, lambda: { ...destination.lambda, load } };
  };
  await expect(seeded(route)).rejects.toThrow('gone');
  await Promise.allSettled(inHand);
};

test('every status of invoices and payments is there, and every invariant holds', async () => {
  let [steps, done] = [0, 0];
  const start = (of: number) => {
    steps = of;
    return () => {
      done += 1;
    };
  };
  expect(await seeded(service.route, NEVER, start, WHOLE)).toBe(true);
  expect([steps, done]).toEqual([160, 160]);
  const [invoices, payments] = await Promise.all([scan(service, 'invoices'), scan(service, 'payments')]);
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(INVOICE_STATUSES));
  expect(new Set(payments.map((row) => paymentStatus(row as unknown as Payment)))).toEqual(new Set(PAYMENT_STATUSES));
  await checkInvariants(service);
});

test('a second load adds nothing, and sends nothing but a look', async () => {
  await seeded();
  const before = await contents();
  const methods = new Set<string>();
  const watched: Router = (method, path) => {
    methods.add(method);
    return service.route(method, path);
  };
  expect(await seeded(watched)).toBe(false);
  expect([...methods]).toEqual(['GET']);
  expect(await contents()).toEqual(before);
});

test('a load that was cut short, wherever, goes on to what an undisturbed one makes', async () => {
  for (const posts of [3, 15, 30, 45]) await cutShort(posts);
  expect(await seeded()).toBe(true);
  const resumed = await contents();
  await service.stop();
  service = await startService();
  await seeded();
  expect(resumed).toEqual(await contents());
  await checkInvariants(service);
});

test('a load that is told to end does so between two customers or invoices', async () => {
  const stopping = new AbortController();
  let done = 0;
  const start = () => () => {
    done += 1;
    if (done === 15) stopping.abort();
  };
  expect(await seeded(service.route, stopping.signal, start)).toBe(true);
  expect(done).toBeGreaterThanOrEqual(15);
  expect(done).toBeLessThan(45);
  expect(await seeded()).toBe(true);
  expect(await seeded()).toBe(false);
});

test('what the service refuses is told in one line', async () => {
  const refused = seed(service.route, async () => 'no token', silent, NEVER, SMALL);
  await expect(refused).rejects.toThrow(
    /^The demo data cannot be loaded: GET \/v1\/invoices\?limit=100.* is answered 401 .*$/,
  );
});
