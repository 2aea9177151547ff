import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('smoke', async () => {
  const c = await service.send('/v1/customers', {
    method: 'POST',
    body: { name: 'Ann', metadata: { constructor: 'x' } },
  });
  console.log(c);
  const i = await service.send('/v1/invoices', { method: 'POST', body: { total_cents: 100, customer_id: c.json.id } });
  console.log(i);
  console.log(await service.send(`/v2/invoices/${i.json.id}?expand=customer&fields=total,id`));
  console.log(await service.send(`/v2/invoices?status=open&limit=1`));
  console.log(await service.send(`/v1/invoices?page=1`));
  console.log(
    await service.send(`/v1/invoices/${i.json.id}`, {
      method: 'PATCH',
      body: { status: 'paid', x: 1, total_cents: -1 },
    }),
  );
  console.log(await service.send(`/v1/invoices/${i.json.id}`, { method: 'PATCH', body: { status: 'paid' } }));
  console.log(await service.send(`/v1/invoices/${i.json.id}/cancel`, { method: 'POST' }));
  console.log(
    await service.send(`/v1/invoices`, { method: 'PUT' }),
    await service.send('/health'),
    await service.send('/invoices'),
  );
  expect(1).toBe(1);
});
