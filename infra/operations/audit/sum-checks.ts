import { isDeepStrictEqual } from 'node:util';
import canonicalize from 'canonicalize';
import { type AccountState, memberOf, type Row } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, REPAIR_TEXT } from '#infra/operations/audit/check.ts';
import type { CreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import type { Customer } from '#shared/invoicing/customers/rules.ts';
import { COUNTED, derivedInvoice, derivedPayment, lostCents } from '#shared/invoicing/derivations.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import { unchangedClause } from '#shared/platform/dynamodb/table.ts';
import { createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { COUNTER_CHANGES } from '#shared/platform/store/counters.ts';

const rowsOf = <T extends Entity>(rows: readonly Row[]): readonly T[] => rows as unknown as readonly T[];

/** The rows of a table by the owner that they name. */
const byOwner = <T extends Entity>(rows: readonly Row[], field: keyof T & string): ((id: number) => readonly T[]) => {
  const groups = Map.groupBy(rowsOf<T>(rows), (row) => row[field]);
  return (id) => groups.get(id as T[keyof T & string]) ?? [];
};

/** Sorted, because DynamoDB returns attributes in any order. */
const wrongNames = (stored: object, derived: object): string[] =>
  Object.entries(derived)
    .flatMap(([name, value]) => (isDeepStrictEqual(Reflect.get(stored, name), value) ? [] : [name]))
    .sort();

const describe = (stored: object, derived: object): string =>
  wrongNames(stored, derived)
    .map(
      (name) =>
        `${name} is ${canonicalize(Reflect.get(stored, name))}, not ${canonicalize(Reflect.get(derived, name))}`,
    )
    .join('; ');

const evidenceOf = (owner: Row, ...parts: readonly (readonly Entity[])[]) =>
  [[owner], ...parts].map((rows) => rows.map(({ id, version }) => [id, version]));

export const invoices: Check = {
  name: 'invoices',
  holds:
    'The total of an itemized invoice is the sum of its items, the amounts paid and credited are the sums of its payments and credit notes, each at most the total, and the status agrees.',
  repairs:
    'The values are derived from items, payments and credit notes. Amounts above the sum of the items get an item for the difference.',
  find: ({ rows }) => {
    const itemsOf = byOwner<InvoiceItem>(rows.invoiceItems, 'invoice_id');
    const paymentsOf = byOwner<Payment>(rows.payments, 'invoice_id');
    const creditNotesOf = byOwner<CreditNote>(rows.creditNotes, 'invoice_id');
    return rows.invoices.flatMap((row): Finding[] => {
      const stored = memberOf(tables.invoices, row as unknown as Invoice);
      const facts = { items: itemsOf(row.id), payments: paymentsOf(row.id), creditNotes: creditNotesOf(row.id) };
      const derived = derivedInvoice(stored, facts);
      const difference = lostCents(facts);
      if (difference === 0 && wrongNames(stored, derived).length === 0) return [];
      const detail = describe(stored, derived) || `What was paid and credited exceeds the items by ${difference}`;
      return [
        {
          table: 'invoices',
          id: row.id,
          detail: `${detail}.`,
          evidence: evidenceOf(row, ...Object.values<readonly Entity[]>(facts)),
          repair: ({ commit, stores, now, newId }) =>
            commit(() => {
              const at = now();
              const lost = difference > 0 ? [lostItem(derived, difference, { id: newId(), at })] : [];
              const item_ids = [...derived.item_ids, ...lost.map(({ id }) => id)];
              return [
                ...stores.invoices.replace(stored, nextVersion(stored, { ...derived, item_ids }, at)),
                ...lost.flatMap((item) => stores.invoiceItems.insert(item)),
              ];
            }),
        },
      ];
    });
  },
};

const lostItem = (
  { id: invoice_id, currency }: Invoice,
  unit_amount_cents: number,
  creation: { readonly id: number; readonly at: string },
): InvoiceItem => {
  const line = { quantity: 1, unit_amount_cents, discount_cents: 0, tax_percent: null, tax_category: null };
  return createEntity({ invoice_id, currency, description: REPAIR_TEXT, ...line }, creation);
};

export const payments: Check = {
  name: 'payments',
  holds: 'The amount refunded of a payment is the sum of its refunds, and at most the amount.',
  repairs: 'The amount refunded is derived from the refunds, unless they exceed the amount.',
  find: ({ rows }) => {
    const refundsOf = byOwner<Refund>(rows.refunds, 'payment_id');
    return rows.payments.flatMap((row): Finding[] => {
      const stored = memberOf(tables.payments, row as unknown as Payment);
      const refunds = refundsOf(row.id);
      const derived = derivedPayment(stored, refunds);
      const evidence = evidenceOf(row, refunds);
      if (derived.amount_refunded_cents > stored.amount_cents)
        return [{ table: 'payments', id: row.id, detail: `Its refunds exceed ${stored.amount_cents}.`, evidence }];
      if (wrongNames(stored, derived).length === 0) return [];
      return [
        {
          table: 'payments',
          id: row.id,
          detail: `${describe(stored, derived)}.`,
          evidence,
          repair: ({ commit, stores, now }) =>
            commit(() => stores.payments.replace(stored, nextVersion(stored, derived, now()))),
        },
      ];
    });
  },
};

export const customers: Check = {
  name: 'customers',
  holds: 'The invoice count of a customer is the number of the invoices that name it.',
  repairs: 'The count is written again. The version does not change.',
  find: ({ rows }) => {
    const invoicesOf = byOwner<Invoice>(rows.invoices, 'customer_id');
    return rows.customers.flatMap((row): Finding[] => {
      const counted = invoicesOf(row.id);
      const stored = memberOf(tables.customers, row as unknown as Customer);
      const { invoice_count, invoice_count_changes } = stored;
      if (invoice_count === counted.length) return [];
      const right = { invoice_count: counted.length, invoice_count_changes: invoice_count_changes + 1 };
      return [
        {
          table: 'customers',
          id: row.id,
          detail: `invoice_count is ${invoice_count}, not ${counted.length}.`,
          evidence: [invoice_count_changes, ...evidenceOf(row, counted)],
          repair: ({ commit, stores }) =>
            commit(() => stores.customers.move(stored, right, ['invoice_count', 'invoice_count_changes'])),
        },
      ];
    });
  },
};

export const counters: Check = {
  name: 'counters',
  holds: 'Each counter of an account is the number of the rows that it counts.',
  repairs: 'The counter is written again.',
  find: ({ account, rows, counters: stored = {} }: AccountState) =>
    Object.entries(COUNTED).flatMap(([name, { table, counts }]): Finding[] => {
      const counted = rows[table].filter(counts);
      const value = stored[name] as number | undefined;
      const difference = counted.length - (value ?? 0);
      if (difference === 0) return [];
      const changes = stored[COUNTER_CHANGES];
      const isUnchanged: Clause[] = [unchangedClause(name, value), unchangedClause(COUNTER_CHANGES, changes)];
      const add = { [name]: difference, [COUNTER_CHANGES]: 1 };
      return [
        {
          table: 'counters',
          id: name,
          detail: `It is ${value ?? 'absent'}, not ${counted.length}.`,
          evidence: [value, changes, counted.map(({ id, version }) => [id, version])],
          repair: ({ commit }) =>
            commit(() => [conditional({ table: 'counters', key: { account_id: account }, add }, isUnchanged)]),
        },
      ];
    }),
};
