import { expect, test } from '@jest/globals';
import { type InvoiceItem, type InvoiceItemTerms, itemAmount } from '#shared/invoicing/invoice-items/rules.ts';
import { addItem, patchItem, removeItem, replaceItem } from '#shared/invoicing/invoices/items.ts';
import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';
import fc from '#test/support/random/fast-check.ts';
import { problemOf } from '../problem.ts';

const THEN = '2026-01-01T00:00:00.000Z';
const AT = '2026-11-21T09:30:00.000Z';
const FLAT = createInvoice({ ...DEFAULT_TERMS, status: 'draft', currency: 'EUR' }, { id: 7, at: THEN });
const TERMS: InvoiceItemTerms = { invoice_id: 7, description: 'Work', quantity: 3, unit_amount_cents: 100 };
const { item: ITEM, invoice: INVOICE } = addItem(FLAT, TERMS, { id: 42, at: THEN });

/** Each change of an item of an invoice. */
const CHANGES: readonly [name: string, change: (invoice: Invoice, item: InvoiceItem) => unknown][] = [
  ['a new item', (invoice) => addItem(invoice, TERMS, { id: 43, at: AT })],
  ['a PATCH', (invoice, item) => patchItem(invoice, item, { quantity: 4 }, AT)],
  ['a PUT', (invoice, item) => replaceItem(invoice, item, { ...TERMS, quantity: 4 }, AT)],
  ['a deletion', (invoice, item) => removeItem(invoice, item, AT)],
];

const quantity = fc.integer({ min: 1, max: 1000 });
const unit_amount_cents = fc.nat(1_000_000);

test('any items that are added, changed and deleted: the total is the sum of their amounts [CONTRACT §4]', () => {
  const some = fc.array(fc.tuple(quantity, unit_amount_cents), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(some, fc.nat(9), quantity, (amounts, at, quantity) => {
      const items: InvoiceItem[] = [];
      let invoice = FLAT;
      const check = () => {
        expect(invoice.total_cents).toBe(items.reduce((sum, item) => sum + itemAmount(item), 0));
        expect(invoice.item_ids).toEqual(items.map(({ id }) => id));
      };
      for (const [id, [quantity, unit_amount_cents]] of amounts.entries()) {
        const added = addItem(invoice, { ...TERMS, quantity, unit_amount_cents }, { id, at: AT });
        items.push(added.item);
        ({ invoice } = added);
        check();
      }
      const place = at % items.length;
      const changed = patchItem(invoice, items[place] as InvoiceItem, { quantity }, AT);
      items[place] = changed.item;
      ({ invoice } = changed);
      check();
      for (let item = items.pop(); item; item = items.pop()) {
        invoice = removeItem(invoice, item, AT);
        check();
      }
    }),
  );
});

test('a new item: its terms in the invoice’s currency, and the next version of the invoice [CONTRACT §4, §7]', () => {
  expect(ITEM).toEqual({ ...TERMS, id: 42, version: 1, created_at: THEN, updated_at: THEN, currency: 'EUR' });
  expect(INVOICE).toEqual({ ...FLAT, total_cents: 300, item_ids: [42], version: 2, updated_at: THEN });
});

test('a PATCH or PUT that changes nothing: the same item and the same invoice, also when closed [CONTRACT §4]', () => {
  for (const invoice of [INVOICE, { ...INVOICE, status: 'canceled' } as const]) {
    for (const { item, ...after } of [
      patchItem(invoice, ITEM, { quantity: 3 }, AT),
      replaceItem(invoice, ITEM, TERMS, AT),
    ]) {
      expect(item).toBe(ITEM);
      expect(after.invoice).toBe(invoice);
    }
  }
});

test('a PATCH that does not change the amount: the next version of the item only [CONTRACT §4, §7]', () => {
  const { item, invoice } = patchItem(INVOICE, ITEM, { description: 'Advice' }, AT);
  expect(item).toEqual({ ...ITEM, description: 'Advice', version: 2, updated_at: AT });
  expect(invoice).toBe(INVOICE);
});

test.each(CHANGES)('%s of an invoice that is paid or canceled: invoice-closed [CONTRACT §4]', (_, change) => {
  for (const status of ['paid', 'canceled'] as const) {
    expect(problemOf(() => change({ ...INVOICE, status }, ITEM)).code).toBe('invoice-closed');
  }
});

test.each(CHANGES)('%s of an invoice with payments: invoice-has-payments [CONTRACT §4, §12]', (_, change) => {
  const before: Invoice = { ...INVOICE, status: 'open', amount_paid_cents: 1 };
  expect(problemOf(() => change(before, ITEM)).code).toBe('invoice-has-payments');
});

const FULL: Invoice = { ...INVOICE, item_ids: Array.from({ length: 90 }, (_, id) => id) };
test.each<[string, () => unknown, facts: object]>([
  [
    'an item of an invoice with a total of its own',
    () => addItem({ ...FLAT, total_cents: 1 }, TERMS, { id: 43, at: AT }),
    { field: 'invoice_id' },
  ],
  ['a 91st item', () => addItem(FULL, TERMS, { id: 91, at: AT }), { field: 'invoice_id' }],
  ['another invoice', () => patchItem(INVOICE, ITEM, { invoice_id: 8 }, AT), { field: 'invoice_id' }],
  [
    'a new item in another currency',
    () => addItem(INVOICE, { ...TERMS, currency: 'USD' }, { id: 43, at: AT }),
    { field: 'currency', amount: 'unit_amount_cents' },
  ],
  [
    'a PATCH of the currency',
    () => patchItem(INVOICE, ITEM, { currency: 'USD' }, AT),
    { field: 'currency', amount: 'unit_amount_cents' },
  ],
  [
    'a total above the maximum',
    () => patchItem(INVOICE, ITEM, { quantity: 1, unit_amount_cents: MAX_CENTS + 1 }, AT),
    { amount: 'unit_amount_cents' },
  ],
])('%s: validation-failed [CONTRACT §4, §12]', (_, change, facts) => {
  expect(problemOf(change)).toMatchObject({ code: 'validation-failed', facts });
});

test('a 90th item, and a total of exactly the maximum: accepted [CONTRACT §4]', () => {
  const before: Invoice = { ...FULL, item_ids: FULL.item_ids.slice(1) };
  expect(addItem(before, TERMS, { id: 91, at: AT }).invoice.item_ids).toHaveLength(90);
  const largest = patchItem(INVOICE, ITEM, { quantity: 1, unit_amount_cents: MAX_CENTS }, AT);
  expect(largest.invoice.total_cents).toBe(MAX_CENTS);
});
