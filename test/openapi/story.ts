import type { Exchange } from '#shared/openapi/recorded.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Exports } from '#test/support/exports.ts';
import { pass, type Tell, teller } from './teller.ts';

/** An amount as a version writes it: `total_cents`, or `total` with its currency. */
type Amount = (name: string, cents: number) => Record<string, unknown>;

const amountIn =
  (version: Version): Amount =>
  (name, cents) =>
    version === 'v1' ? { [`${name}_cents`]: cents } : { [name]: { amount: cents, currency: 'GBP' } };

const keys = [
  '2f1b1f0e-5c0b-4c3f-9d0e-8f4a0d1c2b3a',
  '6f9b1d3e-2c4a-4e58-9d7b-0a1c2e3f4b5d',
  'c0b8f2d4-7e61-4a35-8f90-1d2e3c4b5a69',
  '91d7e3a5-0b2c-4d6e-8f1a-7b9c5d3e1f02',
];
const key = (n: number) => ({ 'idempotency-key': keys[n] });
const idOf = (answer: { json: { id: number } }): number => answer.json.id;
const ADDRESS = { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' };

const customers = async (tell: Tell): Promise<number> => {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com', address: ADDRESS, metadata: { tier: 'gold' } };
  const customer_id = idOf(await tell('customers/create', 'A customer with an address', { body: ada }));
  const other = idOf(await tell('customers/create', 'A customer with a name alone', { body: { name: 'Charles' } }));
  const ids = { customer_id };
  await tell('customers/create', 'A misspelt field', { body: { name: 'Ada', emial: 'ada@example.com' } });
  await tell('customers/get', 'A customer', { ids });
  await tell('customers/get', 'Some fields of a customer', { ids, query: '?fields=id,name' });
  await tell('customers/get', 'Nothing new', { ids, headers: { 'if-none-match': '"1"' } });
  await tell('customers/list', 'All customers', {});
  await tell('customers/list', 'Customers by their e-mail address', {
    query: '?email=ada%40example.com&fields=id,email',
  });
  await tell('customers/update', 'Another number, and no tier', {
    ids,
    headers: { 'if-match': '"1"' },
    body: { tax_id: 'GB123456789', metadata: { tier: null } },
  });
  await tell('customers/replace', 'A customer anew', { ids, body: { ...ada, tax_id: 'GB123456789', metadata: {} } });
  await tell('customers/delete', 'A customer that no invoice names', { ids: { customer_id: other } });
  await tell('customers/delete', 'A customer that is gone', { ids: { customer_id: other } });
  return customer_id;
};

const invoices = async (tell: Tell, amount: Amount, version: Version, customer_id: number): Promise<number> => {
  const currency = version === 'v1' ? { currency: 'GBP' } : {};
  const flat = { ...amount('total', 125_000), ...currency, customer_id, due_date: '2026-12-23' };
  const opened = await tell('invoices/create', 'An open invoice', { headers: key(0), body: flat });
  const invoice_id = idOf(opened);
  const ids = { invoice_id };
  await tell('invoices/create', 'A status to begin with', { body: { ...flat, status: 'paid' } });
  await tell('invoices/get', 'An invoice', { ids });
  await tell('invoices/get', 'An invoice with its customer', { ids, query: '?fields=id,status&expand=customer' });
  await tell('invoices/get', 'Nothing new', { ids, headers: { 'if-none-match': '"1"' } });
  await tell('invoices/update', 'Say what it is for', {
    ids,
    headers: { 'if-match': '"1"' },
    body: { description: 'Analytical engine, one day' },
  });
  await tell('invoices/update', 'A stale tag', { ids, headers: { 'if-match': '"1"' }, body: { description: 'Two' } });
  await tell('invoices/update', 'A way back', { ids, body: { status: 'draft' } });
  await tell('invoices/replace', 'An invoice anew', { ids, body: { ...flat, description: 'One day' } });
  const draft = { status: 'draft', ...(version === 'v1' ? currency : amount('total', 0)), customer_id };
  const draft_id = idOf(await tell('invoices/create', 'A draft to put items on', { body: draft }));
  await tell('customers/delete', 'A customer that an invoice names', { ids: { customer_id } });
  await items(tell, amount, draft_id);
  await tell('invoices/cancel', 'Cancel a draft', { ids: { invoice_id: draft_id } });
  await lists(tell, version);
  await tell('invoices/delete', 'A canceled invoice', { ids: { invoice_id: draft_id } });
  return invoice_id;
};

const lists = async (tell: Tell, version: Version): Promise<void> => {
  const first = await tell('invoices/list', 'The first page', { query: '?limit=1' });
  await tell('invoices/list', 'The page after it', { query: `?limit=1&after=${first.json.next_cursor}` });
  await tell('invoices/list', 'Open invoices, newest first', { query: '?status=open&sort=-id' });
  await tell('invoices/list', 'A cursor that was altered', { query: `?after=${first.json.next_cursor}x` });
  if (version === 'v1') await tell('invoices/list', 'A page by its number', { query: '?page=2&per_page=1' });
  else await tell('invoices/list', 'Pages have no numbers', { query: '?page=2' });
};

const items = async (tell: Tell, amount: Amount, invoice_id: number): Promise<void> => {
  const work = { invoice_id, description: 'Programming, by the hour', quantity: 8, ...amount('unit_amount', 12_500) };
  const ids = { invoice_item_id: idOf(await tell('invoice-items/create', 'Eight hours', { body: work })) };
  await tell('invoice-items/list', 'The items of an invoice', { query: `?invoice_id=${invoice_id}` });
  await tell('invoice-items/get', 'An item', { ids });
  await tell('invoice-items/update', 'Nine hours', { ids, body: { quantity: 9 } });
  await tell('invoice-items/replace', 'Ten hours', { ids, body: { ...work, quantity: 10 } });
  await tell('invoice-items/delete', 'An item less', { ids });
};

const payments = async (tell: Tell, amount: Amount, invoice_id: number): Promise<void> => {
  const part = { invoice_id, ...amount('amount', 50_000), method: 'bank_transfer', reference: 'E2E-4711' };
  const paid = await tell('payments/create', 'A part of what is due', { headers: key(1), body: part });
  const ids = { payment_id: idOf(paid) };
  await tell('payments/create', 'The same again', { headers: key(1), body: part });
  await tell('payments/create', 'The key, with another body', { headers: key(1), body: { ...part, method: 'cash' } });
  await tell('payments/create', 'No key', { body: part });
  await tell('payments/create', 'A key that is no UUID', { headers: { 'idempotency-key': '4711' }, body: part });
  const much = { ...part, ...amount('amount', 75_001) };
  await tell('payments/create', 'More than is due', { headers: key(2), body: much });
  await tell('payments/create', 'A clerk’s limit', {
    headers: key(2),
    body: { ...part, ...amount('amount', 100_001) },
    claims: { role: 'clerk' },
  });
  await tell('payments/get', 'A payment', { ids });
  await tell('payments/list', 'The payments of an invoice', { query: `?invoice_id=${invoice_id}` });
  await tell('invoices/list-payments', 'What was paid', { ids: { invoice_id } });
  await tell('invoices/get-payment', 'One payment of an invoice', { ids: { invoice_id, ...ids } });
  await refunds(tell, amount, ids.payment_id);
  await tell('payments/get', 'A payment, partly refunded', { ids });
  await tell('invoices/cancel', 'An invoice that was paid for', { ids: { invoice_id } });
  await tell('invoices/delete', 'An invoice with payments', { ids: { invoice_id } });
};

const refunds = async (tell: Tell, amount: Amount, payment_id: number): Promise<void> => {
  const back = { payment_id, ...amount('amount', 20_000), reason: 'A quarter of a day less' };
  const ids = { refund_id: idOf(await tell('refunds/create', 'A part of a payment', { headers: key(2), body: back })) };
  const much = { payment_id, ...amount('amount', 30_001) };
  await tell('refunds/create', 'More than was paid', { headers: key(3), body: much });
  await tell('refunds/get', 'A refund', { ids });
  await tell('refunds/list', 'The refunds of a payment', { query: `?payment_id=${payment_id}` });
};

const exports = async (tell: Tell, service: Exports): Promise<void> => {
  const open = { type: 'invoices', format: 'csv', filter: { status: 'open' } };
  const asked = await tell('exports/create', 'A file of the open invoices', { headers: key(3), body: open });
  const ids = { export_id: idOf(asked) };
  await tell('exports/create', 'A filter of other exports', { body: { ...open, type: 'customers' } });
  await tell('exports/get', 'An export that waits', { ids });
  await tell('exports/get-file', 'No file yet', { ids });
  await service.drain();
  await tell('exports/get', 'An export that is completed', { ids });
  await tell('exports/get-file', 'Where the file is', { ids });
  const other = { type: 'customers', format: 'jsonl' };
  const given_up = idOf(await tell('exports/create', 'A file of all customers', { body: other }));
  await tell('exports/cancel', 'Give it up', { ids: { export_id: given_up } });
  await tell('exports/cancel', 'Too late to give it up', { ids });
  await tell('exports/list', 'The exports of invoices', { query: '?type=invoices' });
  pass(8);
  await tell('exports/get-file', 'A file that is gone', { ids });
  pass(-8);
};

const refusals = async (tell: Tell): Promise<void> => {
  await tell('customers/list', 'No token', { headers: { authorization: undefined } });
  await tell('customers/create', 'A token that may only read', { claims: { role: 'viewer' }, body: { name: 'Ada' } });
  await tell('customers/get', 'Another account’s, or none', { ids: { customer_id: 1 } });
  await tell('customers/create', 'No JSON', { headers: { 'content-type': 'application/json' }, body: '{"name": ' });
  await tell('customers/create', 'A form', { headers: { 'content-type': 'text/plain' }, body: 'name=Ada' });
  await tell('customers/list', 'A broken escape', { query: '?email=%zz' });
  await tell('customers/update', 'No entity tag', { ids: { customer_id: 1 }, headers: { 'if-match': '1' }, body: {} });
};

/** What a client does with the service, from the first customer to the last refund, and what it is told. */
export const story = async (service: Exports, version: Version): Promise<readonly Exchange[]> => {
  const { tell, recorded } = teller(service, version);
  const amount = amountIn(version);
  const customer_id = await customers(tell);
  const invoice_id = await invoices(tell, amount, version, customer_id);
  await payments(tell, amount, invoice_id);
  await exports(tell, service);
  await refusals(tell);
  return recorded;
};
