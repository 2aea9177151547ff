import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkInvariants, scan } from '#test/support/invariants.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const send = (method: string, target: string, body?: object) => service.send(target, { method, ...(body && { body }) });

test('an invoice with a customer and 95 items: the next item is 422 at /invoice_id, DELETE one transaction [CONTRACT §4]', async () => {
  const { json: customer } = await send('POST', '/v1/customers', { name: 'Ada' });
  const { json: invoice } = await send('POST', '/v1/invoices', { customer_id: customer.id });
  const item = { invoice_id: invoice.id, description: 'Work', unit_amount_cents: 1 };
  for (let i = 0; i < 95; i++) expect((await send('POST', '/v1/invoice-items', item)).status).toBe(201);
  const refused = await send('POST', '/v1/invoice-items', item);
  expect([refused.status, refused.json.code]).toEqual([422, 'validation-failed']);
  expect(refused.json.errors).toEqual([expect.objectContaining({ pointer: '/invoice_id' })]);
  const items = async () => (await scan(service, 'invoiceItems')).filter(({ invoice_id }) => invoice_id === invoice.id);
  expect(await items()).toHaveLength(95);
  const sizes: number[] = [];
  service.client.middlewareStack.add(
    (next) => (call) => {
      const { TransactItems = [] } = call.input as { TransactItems?: object[] };
      if (TransactItems.length > 0) sizes.push(TransactItems.length);
      return next(call);
    },
    { step: 'initialize', name: 'sizes' },
  );
  const deleted = await send('DELETE', `/v1/invoices/${invoice.id}`);
  service.client.middlewareStack.remove('sizes');
  expect([deleted.status, sizes]).toEqual([204, [99]]);
  expect(await items()).toEqual([]);
}, 60_000);
