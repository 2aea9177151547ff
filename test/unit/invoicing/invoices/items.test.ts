import { expect, test } from '@jest/globals';
import { sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import type { InvoiceItem, InvoiceItemTerms } from '#shared/invoicing/invoice-items/rules.ts';
import { addItem, patchItem, removeItem } from '#shared/invoicing/invoices/items.ts';
import { createInvoice, DEFAULT_TERMS } from '#shared/invoicing/invoices/rules.ts';
import fc from '#test/support/random/fast-check.ts';

const AT = '2026-11-21T09:30:00.000Z';
const FLAT = createInvoice({ ...DEFAULT_TERMS, status: 'draft', currency: 'EUR' }, { id: 7, at: AT });
const TERMS: InvoiceItemTerms = {
  ...{ invoice_id: 7, description: 'Work', quantity: 3, unit_amount_cents: 100 },
  ...{ discount_cents: 0, tax_percent: 19, tax_category: null },
};

const quantity = fc.integer({ min: 1, max: 1000 });
const unit_amount_cents = fc.nat(1_000_000);

test('any items that are added, changed and deleted: the total and the tax are the sums of the items [CONTRACT §4]', () => {
  const some = fc.array(fc.tuple(quantity, unit_amount_cents), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(some, fc.nat(9), quantity, (amounts, at, quantity) => {
      const items: InvoiceItem[] = [];
      let invoice = FLAT;
      const check = () => {
        expect(invoice).toMatchObject(sumOf(items));
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
