import type { FaultsByFile } from './fault.ts';

export const rules: FaultsByFile = {
  'shared/invoicing/invoices/rules.ts': [
    [
      'a paid invoice has an amount due',
      'isClosed(invoice) ? 0 : invoice.total_cents - invoice.amount_paid_cents',
      'invoice.total_cents - invoice.amount_paid_cents',
    ],
    ['a draft can become paid', "['draft>open', 'open>paid']", "['draft>open', 'open>paid', 'draft>paid']"],
    [
      'a lower total settles an invoice for less',
      'Math.max(amountDue(before), amountDue({ ...before, total_cents }))',
      'amountDue({ ...before, total_cents })',
    ],
    [
      'a closed invoice can be changed',
      'if (isClosed(before)) throw',
      'if (isClosed(before) && isClosed(after) && before.id === 0) throw',
    ],
    [
      'the currency can change',
      'after.currency !== before.currency && isCurrencyLocked(before)',
      'after.currency !== before.currency && hasPayments(before)',
    ],
    [
      'PUT without a currency changes it',
      'isCurrencyLocked(invoice) ? invoice.currency : DEFAULT_CURRENCY',
      'DEFAULT_CURRENCY',
    ],
    [
      'PUT without a total keeps the currency',
      'isCurrencyLocked(invoice) ? invoice.currency : DEFAULT_CURRENCY',
      'invoice.currency',
    ],
    [
      'the total can be below the payments',
      'if (after.total_cents < before.amount_paid_cents) {',
      'if (after.total_cents < 0) {',
    ],
    [
      'a payment of the total leaves the invoice open',
      'invoice.amount_paid_cents === invoice.total_cents)',
      'invoice.amount_paid_cents > invoice.total_cents)',
    ],
    [
      'an invoice with payments can be canceled',
      "if (invoice.status === 'paid' || hasPayments(invoice)) {",
      "if (invoice.status === 'paid') {",
    ],
    [
      'an invoice settled outside can be deleted',
      "if (invoice.status === 'paid') throw",
      "if (invoice.status === 'canceled') throw",
    ],
    ['PUT without a status makes it open', 'const { status } = invoice;', "const status = 'open';"],
    ['PUT without a total empties an itemized invoice', 'isItemized(invoice) ? invoice.total_cents : 0', '0'],
  ],
  'shared/invoicing/payments/rules.ts': [
    [
      'a payment may exceed the amount due',
      'if (terms.amount_cents > amount_due_cents) {',
      'if (terms.amount_cents > before.total_cents) {',
    ],
    [
      'a draft accepts a payment',
      "if (before.status !== 'open') {",
      "if (before.status !== 'open' && before.status !== 'draft') {",
    ],
    [
      'a fully refunded payment is partially refunded',
      'amount_refunded_cents < amount_cents',
      'amount_refunded_cents <= amount_cents',
    ],
  ],
  'functions/payments/create.ts': [
    ['the payment does not change the invoice', ', ...invoices.replace(before, invoice)]', ']'],
  ],
  'shared/invoicing/refunds/rules.ts': [
    [
      'a refund may exceed the rest of the payment',
      'amount_cents > amount_refundable_cents)',
      'amount_cents > before.amount_cents)',
    ],
    ['a refund of nothing is accepted', 'amount_cents === 0 || ', ''],
    ['a refund is not counted on its payment', '{ ...before, amount_refunded_cents }', '{ ...before }'],
  ],
  'shared/invoicing/invoice-items/rules.ts': [
    ['an invoice may have 96 items', 'const MAX_ITEMS = 95;', 'const MAX_ITEMS = 96;'],
    [
      'a flat invoice gets an item',
      'invoice.item_ids.length === 0 && invoice.total_cents > 0',
      'invoice.item_ids.length === 0 && invoice.total_cents < 0',
    ],
    ['the quantity does not count', 'quantity * unit_amount_cents', 'unit_amount_cents'],
    [
      'an item moves to another invoice',
      'if (after.invoice_id !== before.invoice_id) refuse',
      'if (after.invoice_id === 0) refuse',
    ],
    [
      'items change after a payment',
      '  if (hasPayments(invoice))\n',
      '  if (hasPayments(invoice) && isClosed(invoice))\n',
    ],
    [
      'a deleted item stays in the total',
      'withTotal(invoice, -itemAmount(item), remaining, at)',
      'withTotal(invoice, 0, remaining, at)',
    ],
  ],
  'shared/invoicing/customers/rules.ts': [
    ['a customer in use can be deleted', 'if (customer.invoice_count > 0) {', 'if (customer.invoice_count > 1) {'],
  ],
  'functions/invoices/delete.ts': [
    [
      'the customer stays in use after the invoice',
      "...customers.moveCount('invoice_count', { from: invoice.customer_id,",
      "...customers.moveCount('invoice_count', { from: null,",
    ],
    [
      'the items of a deleted invoice stay',
      '...invoice.item_ids.flatMap((id) => invoiceItems.remove(owned.get(id) ?? { id, version: NO_VERSION })),',
      '',
    ],
  ],
  'shared/invoicing/metadata/rules.ts': [
    [
      'a patch may add more than 20 pairs',
      'Object.keys(member.metadata).length > METADATA_PAIRS',
      'Object.keys(member.metadata).length > 2 * METADATA_PAIRS',
    ],
  ],
  'shared/platform/wire/money.ts': [
    ['v2 shows the wrong currency', "currency: valueFor('currency', currency, row) })", "currency: 'USD' })"],
    [
      'v2 problems point at v1 fields',
      "return version === 'v1' ? `/${field ?? amount}`",
      'return version ? `/${field ?? amount}`',
    ],
  ],
};
