import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BUSINESSES } from '#local/demo/data.ts';
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

const tokenOf = (account: string) => service.token({ account, sub: 'demo-data' });
const load = (handle: Handle = service.handle, { signal } = new AbortController()) => loadDemo(handle, tokenOf, signal);

/** The number of rows of each collection. */
const stored = async () => {
  const names = ['customers', 'invoices', 'payments', 'refunds', 'creditNotes'] as const;
  return Promise.all(names.map(async (name) => (await scan(service, name)).length));
};
const planned = () => {
  const customers = BUSINESSES.flatMap((business) => planOf(business, new Date()));
  const invoices = customers.flatMap((one) => one.invoices);
  const refunds = invoices.filter(({ refund }) => refund);
  const creditNotes = invoices.filter(({ creditNote }) => creditNote);
  return [customers, invoices, invoices.flatMap(({ payments }) => payments), refunds, creditNotes].map(
    ({ length }) => length,
  );
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
  await checkInvariants(service);
});

test('a request that the service refuses: one line names it', async () => {
  const refused = loadDemo(service.handle, async () => 'no token', new AbortController().signal);
  await expect(refused).rejects.toThrow(/^Cannot load the demo data: GET \/v1\/invoices\?limit=100.* returned 401 .*$/);
});
