import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Answer } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { addItem, created, createInvoice, idOf, patch, pay, post, refund, remove, times } from '../support/requests.ts';

const service = await openService();

const WRITERS = 10;

const atOnce = <T>(make: (index: number) => Promise<T>, count = WRITERS): Promise<T[]> =>
  Promise.all(times(count, make));

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

const codesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ json }) => json.code))].sort();

const invoiceOf = async (service: Service, id: number) => (await service.send(`/v1/invoices/${id}`)).json;

const sumOf = async (service: Service, target: string): Promise<number> =>
  (await service.send(`${target}&limit=100`)).json.data.reduce(
    (sum: number, { amount_cents }: { amount_cents: number }) => sum + amount_cents,
    0,
  );

describe('Concurrency', () => {
  test('10 payments of 200 at once on an invoice of 1000: exactly 5 succeed [CONTRACT §4]', async () => {
    const id = await createInvoice(service);
    const answers = await atOnce(() => pay(service, id, 200));
    expect([countOf(answers, 201), countOf(answers, 422)]).toEqual([5, 5]);
    expect(codesOf(answers.filter(({ status }) => status === 422))).toEqual(['invoice-not-payable']);
    expect(await invoiceOf(service, id)).toMatchObject({
      status: 'paid',
      amount_paid_cents: 1000,
      amount_due_cents: 0,
    });
    expect(await sumOf(service, `/v1/payments?invoice_id=${id}`)).toBe(1000);
  });

  testWith('fullExtent')('10 refunds of 70 at once of a payment of 500: exactly 7 succeed [CONTRACT §4]', async () => {
    const { json } = await pay(service, await createInvoice(service), 500);
    const answers = await atOnce(() => refund(service, json.id, 70));
    expect([countOf(answers, 201), countOf(answers, 422)]).toEqual([7, 3]);
    expect(codesOf(answers.filter(({ status }) => status === 422))).toEqual(['amount-exceeds-refundable']);
    const after = (await service.send(`/v1/payments/${json.id}`)).json;
    expect(after).toMatchObject({ status: 'partially_refunded', amount_refunded_cents: 490 });
    expect(await sumOf(service, `/v1/refunds?payment_id=${json.id}`)).toBe(490);
  });

  testWith('fullExtent')('DELETE and a payment at once, 8 times: exactly one succeeds [CONTRACT §4]', async () => {
    for (const id of await atOnce(() => createInvoice(service), 8)) {
      const [paid, deleted] = await Promise.all([pay(service, id, 1), remove(service, `/v1/invoices/${id}`)]);
      expect(['201,409', '404,204']).toContain([paid.status, deleted.status].join());
      expect((await service.send(`/v1/payments?invoice_id=${id}`)).json.data).toHaveLength(paid.status === 201 ? 1 : 0);
    }
  });

  testWith('fullExtent')(
    '10 items changed and deleted at once: their sum and their tax, and the total is both [CONTRACT §4]',
    async () => {
      const id = await createInvoice(service, {});
      const rates = [7, 19, 5.5];
      const answers = await atOnce((i) => addItem(service, id, 1005, { tax_percent: rates[i % 3] }));
      const paths = answers.map(({ headers }) => headers['location'] as string);
      await atOnce((i) => {
        const path = paths[i] as string;
        return i % 3 === 0
          ? remove(service, path)
          : patch(service, path, { quantity: i / 2, tax_percent: rates[i % 2] });
      });
      const { subtotal_cents, tax_cents, tax_breakdown, total_cents } = await invoiceOf(service, id);
      expect(subtotal_cents).toBe(await sumOf(service, `/v1/invoice-items?invoice_id=${id}`));
      expect(tax_breakdown).toEqual([
        { tax_percent: 7, tax_category: null, taxable_cents: 7035, tax_cents: 492 },
        { tax_percent: 19, tax_category: null, taxable_cents: 6534, tax_cents: 1241 },
      ]);
      expect([tax_cents, total_cents]).toEqual([1733, subtotal_cents + 1733]);
    },
  );

  testWith('fullExtent')(
    'DELETE of an invoice and new items at once, 5 times: no item remains [CONTRACT §12]',
    async () => {
      for (const id of await atOnce(() => createInvoice(service, {}), 5)) {
        const [deleted, ...added] = await Promise.all([
          remove(service, `/v1/invoices/${id}`),
          ...times(4, (i) => addItem(service, id, i + 1)),
        ]);
        expect(deleted?.status).toBe(204);
        for (const { status, headers } of added) {
          expect([201, 404]).toContain(status);
          if (status === 201) expect((await service.send(headers['location'] as string)).status).toBe(404);
        }
        expect((await service.send(`/v1/invoice-items?invoice_id=${id}`)).json.data).toEqual([]);
      }
    },
  );

  testWith('fullExtent')('10 writers with the same ETag: exactly one wins [CONTRACT §7]', async () => {
    const path = await created(service, 'invoices');
    const headers = { 'if-match': '"1"' };
    const answers = await atOnce((i) => patch(service, path, { description: `writer ${i}` }, { headers }));
    expect([countOf(answers, 200), countOf(answers, 412)]).toEqual([1, 9]);
    for (const answer of answers) expect(answer.headers['etag']).toBe('"2"');
    const won = answers.find(({ status }) => status === 200);
    expect((await service.send(path)).text).toBe(won?.text);
  });

  testWith('fullExtent')('10 writers without an ETag: all succeed, and no change is lost [CONTRACT §7]', async () => {
    const path = await created(service, 'invoices');
    const answers = await atOnce((i) => patch(service, path, { metadata: { [`writer${i}`]: 'was here' } }));
    expect(countOf(answers, 200)).toBe(10);
    const after = await service.send(path);
    expect([Object.keys(after.json.metadata).length, after.headers['etag']]).toEqual([10, '"11"']);
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(10);
  });

  testWith('fullExtent')('10 DELETE requests at once: exactly one is 204 [CONTRACT §7]', async () => {
    const path = await created(service, 'customers', { name: 'x' });
    const answers = await atOnce(() => remove(service, path));
    expect([countOf(answers, 204), countOf(answers, 404)]).toEqual([1, 9]);
  });

  test('10 requests with one key at once: one request executes, nine are replays [CONTRACT §8]', async () => {
    const customer_id = idOf(await created(service, 'customers', { name: 'x' }));
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await atOnce(() => post(service, '/v1/invoices', { customer_id }, { headers }));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(countOf(answers, 201)).toBe(10);
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true')).toHaveLength(9);
    expect((await service.send(`/v1/invoices?customer_id=${customer_id}`)).json.data).toHaveLength(1);
  });

  testWith('fullExtent')('one key with 10 bodies at once: one executes, the others are 422 [CONTRACT §8]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await atOnce((i) => post(service, '/v1/customers', { name: `${i}` }, { headers }));
    expect([countOf(answers, 201), countOf(answers, 422)]).toEqual([1, 9]);
    expect(codesOf(answers.filter(({ status }) => status === 422))).toEqual(['idempotency-key-reused']);
  });

  testWith('fullExtent')(
    'DELETE of a customer and its first invoice at once, 5 times: one succeeds [CONTRACT §4]',
    async () => {
      for (const path of await atOnce(() => created(service, 'customers', { name: 'x' }), 5)) {
        const body = { customer_id: idOf(path) };
        const [made, deleted] = await Promise.all([post(service, '/v1/invoices', body), remove(service, path)]);
        expect(['201,409', '404,204']).toContain([made.status, deleted.status].join());
      }
    },
  );
});
