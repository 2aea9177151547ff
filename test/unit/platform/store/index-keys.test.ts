import { afterAll, expect, test } from '@jest/globals';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import { createWebhookEndpoint, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { idsOf, invoice, startData } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

const AT = '2026-11-28T00:00:00.000Z';
const TERMS = { url: 'https://a.test', description: null, event_types: ['*'], status: 'enabled' } as const;
const LIST = { style: 'cursor', limit: 10, order: 'ascending', after: undefined } as const;

test('a row that is changed twice after one read, back to the values of the read: each index has the row under these values [CONTRACT §4]', async () => {
  const { invoices } = data.stores('acct_1');
  const due_date = '2026-12-01';
  await data.commit(...invoices.insert(invoice(1, { due_date })));
  const read = (await invoices.find([1])).get(1) as Invoice;
  const changed: Invoice = { ...read, version: 2, status: 'draft', due_date: null };
  const back: Invoice = { ...changed, version: 3, status: 'open', due_date };
  await data.commit(...invoices.replace(read, changed));
  await data.commit(...invoices.replace(changed, back));
  const filter = { status: 'open' };
  const sort = { by: 'due_date', from: undefined, before: undefined, after: undefined };
  expect(idsOf(await invoices.list({ ...LIST, filter }))).toEqual([1]);
  expect(idsOf(await invoices.list({ ...LIST, filter, sort }))).toEqual([1]);
});

test('a due row that loses its time between the read and the write of another time: the index of due rows has the row', async () => {
  const { webhookEndpoints } = data.stores('acct_1');
  const endpoint = createWebhookEndpoint(TERMS, 'whsec_1', { sequence: 0, last_id: 0 }, { id: 7, at: AT });
  await data.commit(...webhookEndpoints.insert({ ...endpoint, due_at: 1 }));
  const read = (await webhookEndpoints.find([7])).get(7) as WebhookEndpoint;
  await data.commit(...webhookEndpoints.move(read, { due_at: undefined }, ['version']));
  await data.commit(...webhookEndpoints.move(read, { due_at: 2 }, ['version']));
  expect((await webhookEndpoints.find([7])).get(7)).toMatchObject({
    due_at: 2,
    by_due_at: expect.stringMatching(/^due#/),
  });
});
