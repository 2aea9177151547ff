import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const post = (path: string, body: object, claims = {}) =>
  service.send(`/v1/${path}`, { method: 'POST', body, claims, headers: { 'idempotency-key': randomUUID() } });

describe('the feed', () => {
  test('a payment that settles an invoice: its events, in order [CONTRACT §14]', async () => {
    const claims = { account_id: 'acct_feed' };
    const { json: customer } = await post('customers', { name: 'Ada' }, claims);
    const { json: invoice } = await post('invoices', { total_cents: 100, customer_id: customer.id, status: 'open' }, claims);
    await post('payments', { invoice_id: invoice.id, amount_cents: 100 }, claims);
    const { json, status } = await service.send('/v1/events', { claims });
    console.log(status, JSON.stringify(json, null, 1));
    const again = await service.send(`/v1/events?after=${json.next_cursor}&expand=resource`, { claims });
    console.log(again.text);
    const ex = await service.send(`/v1/events?limit=2&expand=resource`, { claims });
    console.log(ex.status, ex.text);
    const off = await service.send(`/v1/events?page=1&type=invoice.paid`, { claims });
    console.log(off.status, off.text);
    const dry = await service.send('/v2/customers?dry_run=true', { method: 'POST', body: {name: 'Bob'}, claims });
    console.log(dry);
  });
});
