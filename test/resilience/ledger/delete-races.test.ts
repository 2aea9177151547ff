import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { deepTest as test } from '#test/support/deep-test.ts';
import { checkInvariants } from '#test/support/invariants.ts';
import { chances, SEED } from '#test/support/seed.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

/*
 * A DELETE of a full invoice and a payment of it, started within 40 ms of each other. `SEED=…` repeats the pauses of a
 * seed, `RUNS=…` sets the number of invoices.
 */
const RUNS = Number(process.env['RUNS'] ?? 25);
/** Invoices that are filled at the same time: few, so that no request times out on a slower engine. */
const AT_ONCE = 5;
const MAX_ITEMS = 95;
const CENTS = 1000;
const MAX_PAUSE_MS = 40;
jest.setTimeout(60_000 + RUNS * 5000);

let service: Service;
beforeAll(async () => {
  service = await startService();
  service.checks.documented = false;
});
afterAll(() => service.stop());

const post = (target: string, body: object): Promise<Answer> =>
  service.send(target, { method: 'POST', body, headers: { 'idempotency-key': randomUUID() } });
const addItem = (invoice_id: number) =>
  post('/v1/invoice-items', { invoice_id, description: 'Work', unit_amount_cents: CENTS });

const fullInvoice = async (): Promise<number> => {
  const { id } = (await post('/v1/invoices', {})).json;
  for (let i = 0; i < MAX_ITEMS; i++) expect((await addItem(id)).status).toBe(201);
  return id;
};

/** The statuses of both requests, and the amounts and the number of items of the invoice afterwards. */
const race = async (id: number, pause: number): Promise<object> => {
  const removal = service.send(`/v1/invoices/${id}`, { method: 'DELETE' });
  await sleep(pause);
  const payment = await post('/v1/payments', { invoice_id: id, amount_cents: CENTS });
  const { status } = await removal;
  const { total_cents, amount_paid_cents } = (await service.send(`/v1/invoices/${id}`)).json;
  const { total_count } = (await service.send(`/v1/invoice-items?invoice_id=${id}&page=1&per_page=1`)).json;
  return { removal: status, payment: payment.status, total_cents, amount_paid_cents, items: total_count };
};

const DELETED = { removal: 204, payment: 404, items: 0 };
const PAID = {
  removal: 409,
  payment: 201,
  total_cents: MAX_ITEMS * CENTS,
  amount_paid_cents: CENTS,
  items: MAX_ITEMS,
};

test(`DELETE of an invoice with ${MAX_ITEMS} items during a payment: one is refused, the other is complete [CONTRACT §4]`, async () => {
  const chance = chances(SEED);
  for (let run = 0; run < RUNS; run += AT_ONCE) {
    const ids = await Promise.all(Array.from({ length: Math.min(AT_ONCE, RUNS - run) }, fullInvoice));
    for (const id of ids) expect([DELETED, PAID]).toContainEqual(await race(id, chance() * MAX_PAUSE_MS));
  }
  await checkInvariants(service);
});
