import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Exports } from '#test/support/service/exports.ts';
import { advanceHours, beginPart, createRecorder, type Recorder } from './recorder.ts';
import { regular } from './regular-scenario.ts';
import { webhooks } from './webhook-scenario.ts';

/** Sends the requests of all examples in order, and returns the recorded exchanges. */
export const recordScenario = async (service: Exports, version: Version): Promise<readonly RecordedExchange[]> => {
  const { record, exchanges } = createRecorder(service, version);
  const amount = amountIn(version);
  beginPart(0);
  const customer_id = await customers(record);
  beginPart(1);
  const invoice_id = await invoices(record, amount, version, customer_id);
  beginPart(2);
  await payments(record, amount, invoice_id);
  beginPart(3);
  await exports(record, service);
  beginPart(4);
  await events(record, customer_id);
  beginPart(5);
  await webhooks(record, service, version);
  beginPart(6);
  await problems(record);
  beginPart(7);
  await numbers(record, amount, customer_id);
  await corrections(record, amount, customer_id);
  beginPart(8);
  await regular(record, service, version, exchanges);
  return exchanges;
};

/** An amount in the form of a version: `total_cents`, or `total` with its currency. */
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
  '4e8a1c7d-3f52-4b09-9c6e-d1a2b3c4e5f6',
  '7a5d9e31-6c84-4f17-8b2d-c3e4f5a6b708',
];
const key = (n: number) => ({ 'idempotency-key': keys[n] });
const idOf = (response: { json: { id: number } }): number => response.json.id;
const ADDRESS = { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' };

const customers = async (record: Recorder): Promise<number> => {
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com', address: ADDRESS, metadata: { tier: 'gold' } };
  const customer_id = idOf(await record('customers/create', 'A customer with an address', { body: ada }));
  const other = idOf(await record('customers/create', 'A customer with only a name', { body: { name: 'Charles' } }));
  const ids = { customer_id };
  await record('customers/create', 'An unknown field', { body: { name: 'Ada', emial: 'ada@example.com' } });
  await record('customers/get', 'A customer', { ids });
  await record('customers/get', 'Some fields of a customer', { ids, query: '?fields=id,name' });
  await record('customers/get', 'Not modified', { ids, headers: { 'if-none-match': '"1"' } });
  await record('customers/list', 'All customers', {});
  await record('customers/list', 'Customers with an email address', {
    query: '?email=ada%40example.com&fields=id,email',
  });
  await record('customers/update', 'Set the tax number and remove a metadata pair', {
    ids,
    headers: { 'if-match': '"1"' },
    body: { tax_id: 'GB123456789', metadata: { tier: null } },
  });
  await record('customers/replace', 'Replace all fields', {
    ids,
    body: { ...ada, tax_id: 'GB123456789', metadata: {} },
  });
  await record('customers/delete', 'A customer without invoices', { ids: { customer_id: other } });
  await record('customers/delete', 'A customer that was already deleted', { ids: { customer_id: other } });
  return customer_id;
};

const events = async (record: Recorder, customer_id: number): Promise<void> => {
  const first = await record('events/list', 'The first events', { query: '?limit=3' });
  await record('events/list', 'The next events', { query: `?limit=3&after=${first.json.next_cursor}` });
  const query = `?resource_id=${customer_id}&type=customer.updated&expand=resource`;
  const changes = await record('events/list', 'The changes of a customer, and the customer', { query });
  await record('events/list', 'An unknown type', { query: '?type=invoice.vanished' });
  await record('events/get', 'An event', { ids: { event_id: changes.json.data[0].id } });
};

const invoices = async (record: Recorder, amount: Amount, version: Version, customer_id: number): Promise<number> => {
  const currency = version === 'v1' ? { currency: 'GBP' } : {};
  const flat = { ...amount('total', 125_000), ...currency, customer_id, due_date: '2026-12-23' };
  const opened = await record('invoices/create', 'An open invoice', { headers: key(0), body: flat });
  const invoice_id = idOf(opened);
  const ids = { invoice_id };
  await record('invoices/create', 'A status that a new invoice cannot have', { body: { ...flat, status: 'paid' } });
  await record('invoices/get', 'An invoice', { ids });
  await record('invoices/get', 'An invoice with its customer', { ids, query: '?fields=id,status&expand=customer' });
  await record('invoices/get', 'Not modified', { ids, headers: { 'if-none-match': '"1"' } });
  await record('invoices/update', 'Set the description', {
    ids,
    headers: { 'if-match': '"1"' },
    body: { description: 'Analytical engine, one day' },
  });
  await record('invoices/update', 'An outdated ETag', {
    ids,
    headers: { 'if-match': '"1"' },
    body: { description: 'Two' },
  });
  await record('invoices/update', 'A status change that is not possible', { ids, body: { status: 'draft' } });
  await record('invoices/replace', 'Replace all fields', { ids, body: { ...flat, description: 'One day' } });
  const draft = { status: 'draft', ...(version === 'v1' ? currency : amount('total', 0)), customer_id };
  const draft_id = idOf(await record('invoices/create', 'A draft for items', { body: draft }));
  await itemized(record, amount, { ...currency, customer_id, due_date: '2026-12-23' });
  await record('customers/delete', 'A customer with an invoice', { ids: { customer_id } });
  await items(record, amount, draft_id);
  await record('invoices/cancel', 'Cancel a draft', { ids: { invoice_id: draft_id } });
  await lists(record, version);
  await record('invoices/delete', 'A canceled invoice', { ids: { invoice_id: draft_id } });
  return invoice_id;
};

const lists = async (record: Recorder, version: Version): Promise<void> => {
  const first = await record('invoices/list', 'The first page', { query: '?limit=1' });
  await record('invoices/list', 'The next page', { query: `?limit=1&after=${first.json.next_cursor}` });
  await record('invoices/list', 'Open invoices, newest first', { query: '?status=open&sort=-id' });
  await record('invoices/list', 'A cursor that was changed', { query: `?after=${first.json.next_cursor}x` });
  if (version === 'v1')
    await record('invoices/list', 'The second page, with page numbers', { query: '?page=2&per_page=1' });
  else await record('invoices/list', 'Page numbers, which v2 does not support', { query: '?page=2' });
};

const numbers = async (record: Recorder, amount: Amount, customer_id: number): Promise<void> => {
  const body = { prefix: '2026-', digits: 4 };
  const series_id = idOf(await record('number-series/create', 'A series for the invoices of a year', { body }));
  const ids = { number_series_id: series_id };
  await record('number-series/create', 'A prefix that another series has', { body: { prefix: '2026-' } });
  const draft = { status: 'draft', ...amount('total', 99_000), customer_id, series_id };
  const draft_id = idOf(await record('invoices/create', 'A draft that names a series', { body: draft }));
  const opening = { ids: { invoice_id: draft_id }, body: { status: 'open' } };
  await record('invoices/update', 'Issue a draft: it gets its number', opening);
  const other = { ids: { invoice_id: draft_id }, body: { description: 'Other' } };
  await record('invoices/update', 'A change of an issued invoice', other);
  await record('invoices/list', 'The invoice with a number', { query: '?number=2026-0001&fields=id,number' });
  await record('number-series/get', 'A series that has assigned a number', { ids });
  await record('number-series/list', 'The active series', { query: '?status=active' });
  await record('number-series/update', 'Close a series', { ids, body: { status: 'closed' } });
  await record('number-series/delete', 'A series that has assigned a number', { ids });
  const unused = idOf(await record('number-series/create', 'Another series', { body: { prefix: 'SHOP/' } }));
  await record('number-series/delete', 'An unused series', { ids: { number_series_id: unused } });
};

const corrections = async (record: Recorder, amount: Amount, customer_id: number): Promise<void> => {
  const body = { ...amount('total', 80_000), customer_id };
  const ids = { invoice_id: idOf(await record('invoices/create', 'An invoice to correct', { body })) };
  const paying = { invoice_id: ids.invoice_id, ...amount('amount', 80_000), method: 'cash' };
  const paid = await record('payments/create', 'A payment by mistake', { headers: key(4), body: paying });
  const voiding = { ids: { payment_id: idOf(paid) }, body: { reason: 'Wrong invoice' } };
  await record('payments/void', 'Void a payment: its invoice is open again', voiding);
  await record('invoices/update', 'Settle an invoice that was paid elsewhere', { ids, body: { status: 'paid' } });
  await record('invoices/reopen', 'Open an invoice again', { ids });
  await creditNotes(record, amount, ids);
};

const creditNotes = async (record: Recorder, amount: Amount, ids: { readonly invoice_id: number }): Promise<void> => {
  const series = { body: { prefix: 'CN-2026-' } };
  const series_id = idOf(await record('number-series/create', 'A series for credit notes', series));
  const body = { ...ids, ...amount('amount', 30_000), reason: 'One day less', series_id };
  const part = await record('credit-notes/create', 'Credit a part of an invoice', { headers: key(5), body });
  await record('credit-notes/create', 'No idempotency key', { body });
  const tooMuch = { ...ids, ...amount('amount', 50_001) };
  await record('credit-notes/create', 'More than can be credited', { headers: key(2), body: tooMuch });
  await record('credit-notes/get', 'A credit note', { ids: { credit_note_id: idOf(part) } });
  await record('credit-notes/list', 'The credit notes of an invoice', { query: `?invoice_id=${ids.invoice_id}` });
  await record('invoices/get', 'An invoice with a credit note', { ids });
  await record('invoices/cancel', 'An invoice with credit notes', { ids });
  await record('invoices/delete', 'An invoice with credit notes', { ids });
};

const itemized = async (record: Recorder, amount: Amount, terms: object): Promise<void> => {
  const taxed = { tax_percent: 20, tax_category: 'S' };
  const hours = { description: 'Programming, by the hour', quantity: 7.5, ...amount('unit_amount', 12_500), ...taxed };
  const travel = { description: 'Travel', ...amount('unit_amount', 4200), ...amount('discount', 700) };
  const body = { ...terms, ...amount('total', 116_000), items: [hours, travel] };
  const ids = { invoice_id: idOf(await record('invoices/create', 'An invoice with its items', { body })) };
  const wrong = { ...body, ...amount('total', 97_250) };
  await record('invoices/create', 'A total that is not the sum of the items', { body: wrong });
  await record('invoices/get', 'An invoice with its items', { ids, query: '?fields=id,status&expand=items' });
};

const items = async (record: Recorder, amount: Amount, invoice_id: number): Promise<void> => {
  const hours = { invoice_id, description: 'Programming, by the hour', quantity: 8, ...amount('unit_amount', 12_500) };
  const ids = { invoice_item_id: idOf(await record('invoice-items/create', 'Eight hours of work', { body: hours })) };
  await record('invoice-items/list', 'The items of an invoice', { query: `?invoice_id=${invoice_id}` });
  await record('invoice-items/get', 'An item', { ids });
  await record('invoice-items/update', 'Change the quantity', { ids, body: { quantity: 9 } });
  await record('invoice-items/replace', 'Replace all fields', { ids, body: { ...hours, quantity: 10 } });
  await record('invoice-items/delete', 'Delete an item', { ids });
};

const payments = async (record: Recorder, amount: Amount, invoice_id: number): Promise<void> => {
  const part = { invoice_id, ...amount('amount', 50_000), method: 'bank_transfer', reference: 'E2E-4711' };
  const paid = await record('payments/create', 'Pay a part of the amount due', { headers: key(1), body: part });
  const ids = { payment_id: idOf(paid) };
  await record('payments/create', 'The same request again', { headers: key(1), body: part });
  await record('payments/create', 'The same key with another body', {
    headers: key(1),
    body: { ...part, method: 'cash' },
  });
  await record('payments/create', 'No idempotency key', { body: part });
  await record('payments/create', 'An idempotency key that nobody has set', {
    headers: { 'idempotency-key': '00000000-0000-0000-0000-000000000000' },
    body: part,
  });
  const tooMuch = { ...part, ...amount('amount', 75_001) };
  await record('payments/create', 'More than the amount due', { headers: key(2), body: tooMuch });
  await record('payments/create', 'Above the limit for clerks', {
    headers: key(2),
    body: { ...part, ...amount('amount', 100_001) },
    as: { role: 'clerk' },
  });
  await record('payments/get', 'A payment', { ids });
  await record('payments/list', 'The payments of an invoice', { query: `?invoice_id=${invoice_id}` });
  await record('invoices/list-payments', 'The payments of an invoice', { ids: { invoice_id } });
  await record('invoices/get-payment', 'One payment of an invoice', { ids: { invoice_id, ...ids } });
  await refunds(record, amount, ids.payment_id);
  await record('payments/get', 'A partially refunded payment', { ids });
  await record('invoices/cancel', 'An invoice with payments', { ids: { invoice_id } });
  await record('invoices/delete', 'An invoice with payments', { ids: { invoice_id } });
};

const refunds = async (record: Recorder, amount: Amount, payment_id: number): Promise<void> => {
  const back = { payment_id, ...amount('amount', 20_000), reason: 'A quarter of a day less' };
  const ids = {
    refund_id: idOf(await record('refunds/create', 'Refund a part of a payment', { headers: key(2), body: back })),
  };
  const tooMuch = { payment_id, ...amount('amount', 30_001) };
  await record('refunds/create', 'More than can be refunded', { headers: key(3), body: tooMuch });
  await record('refunds/get', 'A refund', { ids });
  await record('refunds/list', 'The refunds of a payment', { query: `?payment_id=${payment_id}` });
};

const exports = async (record: Recorder, service: Exports): Promise<void> => {
  const open = { type: 'invoices', format: 'csv', filter: { status: 'open' } };
  const requested = await record('exports/create', 'Export open invoices as CSV', { headers: key(3), body: open });
  const ids = { export_id: idOf(requested) };
  await record('exports/create', 'A filter that this type does not have', { body: { ...open, type: 'customers' } });
  await record('exports/get', 'A pending export', { ids });
  await record('exports/get-file', 'The file of a pending export', { ids });
  await service.drain();
  await record('exports/get', 'A completed export', { ids });
  await record('exports/get-file', 'The download URL', { ids });
  const other = { type: 'customers', format: 'jsonl' };
  const canceled_id = idOf(await record('exports/create', 'Export all customers as JSON lines', { body: other }));
  await record('exports/cancel', 'Cancel a pending export', { ids: { export_id: canceled_id } });
  await record('exports/cancel', 'Cancel a completed export', { ids });
  await record('exports/list', 'The exports of invoices', { query: '?type=invoices' });
  advanceHours(8 * 24);
  await record('exports/get-file', 'A file that was deleted', { ids });
  advanceHours(-8 * 24);
};

const problems = async (record: Recorder): Promise<void> => {
  await record('customers/list', 'No token', { headers: { authorization: undefined } });
  await record('customers/create', 'A token with read scopes only', {
    as: { role: 'viewer' },
    body: { name: 'Ada' },
  });
  await record('customers/get', 'A customer that does not exist, or of another account', { ids: { customer_id: 1 } });
  await record('customers/create', 'Incomplete JSON', {
    headers: { 'content-type': 'application/json' },
    body: '{"name": ',
  });
  await record('customers/create', 'A body that is not JSON', {
    headers: { 'content-type': 'text/plain' },
    body: 'name=Ada',
  });
  await record('customers/list', 'Invalid percent-encoding', { query: '?email=%zz' });
  await record('customers/update', 'If-Match without quotation marks', {
    ids: { customer_id: 1 },
    headers: { 'if-match': '1' },
    body: {},
  });
};
