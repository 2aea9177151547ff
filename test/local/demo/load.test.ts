import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BUSINESSES, EXPORTS } from '#local/demo/data.ts';
import { loadDemo } from '#local/demo/load.ts';
import { planOf } from '#local/demo/plan.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { INVOICE_STATUSES } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_STATUSES, type Payment, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';

let service: LocalService;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const RECEIVER = 'https://receiver.example';
const tokenOf = (account: string) => service.token({ account, sub: 'demo-data' });
const load = (handle: Handle = service.handle, { signal } = new AbortController()) =>
  loadDemo(handle, RECEIVER, tokenOf, signal);

/** The number of rows of each collection. */
const stored = async () => {
  const names = [
    ...(['customers', 'invoices', 'payments', 'refunds', 'creditNotes'] as const),
    ...(['numberSeries', 'exports', 'webhookEndpoints', 'webhookDeliveries'] as const),
  ];
  return Promise.all(names.map(async (name) => (await scan(service, name)).length));
};
const plans = () => BUSINESSES.map((business) => planOf(business, new Date()));
const planned = () => {
  const customers = plans().flatMap((plan) => plan.customers);
  const invoices = plans().flatMap((plan) => plan.invoices);
  const refunds = invoices.filter(({ refund }) => refund);
  const creditNotes = invoices.filter(({ creditNote }) => creditNote);
  const rows = [customers, invoices, invoices.flatMap(({ payments }) => payments), refunds, creditNotes];
  const { length } = BUSINESSES;
  return [...rows.map((one) => one.length), length, EXPORTS.length * length, length, length];
};

test('loads that fail or stop between two requests: the next load adds the missing rows only, and another adds none', async () => {
  for (const posts of [10, 200]) {
    let left = posts;
    const sent: Promise<unknown>[] = [];
    const failing: Handle = async (received) => {
      if (received.method === 'POST') left -= 1;
      if (left < 0) throw new Error('gone');
      const response = service.handle(received);
      sent.push(response);
      return response;
    };
    await expect(load(failing)).rejects.toThrow('gone');
    await Promise.all(sent);
  }
  const stopping = new AbortController();
  let requests = 0;
  const counted: Handle = (received) => {
    requests += 1;
    if (requests === 100) stopping.abort();
    return service.handle(received);
  };
  expect(await load(counted, stopping)).toBe(true);
  expect(requests).toBeLessThan(120);

  expect(await load()).toBe(true);
  expect(await stored()).toEqual(planned());
  expect(await load()).toBe(false);
  expect(await stored()).toEqual(planned());
  const [invoices, payments] = await Promise.all([scan(service, 'invoices'), scan(service, 'payments')]);
  expect(new Set(invoices.map(({ status }) => status))).toEqual(new Set(INVOICE_STATUSES));
  expect(new Set(payments.map((row) => paymentStatus(row as unknown as Payment)))).toEqual(new Set(PAYMENT_STATUSES));
  const taxRates = invoices.map((row) => (row['tax_sums'] as unknown[]).length);
  expect(new Set(taxRates)).toEqual(new Set([0, 1, 2]));
  await checkInvariants(service);
});

test('the plan of each account: invoices are issued in order, at the latest today, and due later, mostly in one currency', () => {
  const today = new Date().toISOString().slice(0, 10);
  for (const { invoices } of plans()) {
    const terms = invoices.map((invoice) => invoice.terms);
    const issued = terms.map(({ issue_date }) => issue_date).filter((date) => date !== null);
    expect(issued).toEqual([...issued].sort());
    expect(issued.at(-1)).toBe(today);
    expect(terms.every(({ issue_date, due_date }) => (issue_date ?? today) < due_date)).toBe(true);
    const currencies = Map.groupBy(terms, ({ currency }) => currency);
    expect(currencies.size).toBeGreaterThan(1);
    const largest = Math.max(...[...currencies.values()].map(({ length }) => length));
    expect(largest).toBeGreaterThan(terms.length / 2);
  }
});

test('a request that the service refuses: one line names it', async () => {
  const refused = loadDemo(service.handle, RECEIVER, async () => 'no token', new AbortController().signal);
  await expect(refused).rejects.toThrow(/^Cannot load the demo data: GET \/v1\/invoices\?.* returned 401 .*$/);
});
