import { afterAll, expect, test } from '@jest/globals';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import { idsOf, invoice, startData } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

const LIST = { style: 'cursor', limit: 10, order: 'ascending', after: undefined } as const;

test('a row that is changed twice after one read, back to the values of the read: each index has it under these [CONTRACT §4]', async () => {
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
