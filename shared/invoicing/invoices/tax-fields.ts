import { subtotal, taxBreakdown, taxTotal } from '#shared/invoicing/invoice-items/lines.ts';
import { TaxCategory, TaxPercent } from '#shared/invoicing/invoice-items/resource.ts';
import { MAX_TAX_RATES } from '#shared/invoicing/invoices/items.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import { derivedFrom, money } from '#shared/platform/wire/field.ts';
import { Currency, cents, list, namedObject, nullable, object } from '#shared/platform/wire/schema.ts';

const KIND = { tax_percent: TaxPercent, tax_category: nullable(TaxCategory) };
const Money = object({ amount: cents(), currency: Currency });
const EntryV1 = namedObject('TaxEntryV1', { ...KIND, taxable_cents: cents(), tax_cents: cents() });
const EntryV2 = namedObject('TaxEntryV2', { ...KIND, taxable: Money, tax: Money });

const MEANING =
  'One entry for each pair of `tax_percent` and `tax_category` of its items, ascending: the sum of their amounts, and its ' +
  'tax, rounded once. Empty without items that have a `tax_percent`.';

const breakdownInMoney = ({ currency, ...sums }: Pick<Invoice, 'tax_sums' | 'currency'>) =>
  taxBreakdown(sums).map(({ taxable_cents, tax_cents, ...kind }) => ({
    ...kind,
    taxable: { amount: taxable_cents, currency },
    tax: { amount: tax_cents, currency },
  }));

/** The read-only fields of an invoice that follow from its items (CONTRACT §4 Lines and tax). */
export const taxFields = {
  subtotal_cents: money(
    derivedFrom<Invoice>()(
      cents(),
      ['total_cents', 'tax_sums'],
      subtotal,
      'The sum of the amounts of its items without tax; the total of an invoice without items.',
    ),
  ),
  tax_cents: money(derivedFrom<Invoice>()(cents(), ['tax_sums'], taxTotal, 'The sum of the tax in `tax_breakdown`.')),
  tax_breakdown: {
    ...derivedFrom<Invoice>()(list(EntryV1, { max: MAX_TAX_RATES }), ['tax_sums'], taxBreakdown, MEANING),
    inV2: derivedFrom<Invoice>()(
      list(EntryV2, { max: MAX_TAX_RATES }),
      ['tax_sums', 'currency'],
      breakdownInMoney,
      MEANING,
    ),
  },
} as const;
