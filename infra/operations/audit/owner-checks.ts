import {
  type AccountState,
  memberOf,
  REFERENCES,
  RESOURCES,
  type Reference,
  type Row,
} from '#infra/operations/audit/account-state.ts';
import { type Check, type Finding, REPAIR_TEXT, type Repair, withChange } from '#infra/operations/audit/check.ts';
import { isDeleted, knownOf, lastVersion, lostChange, subjectOf } from '#infra/operations/audit/feed-view.ts';
import { storeOf } from '#infra/operations/audit/version-checks.ts';
import type { CreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import { createCustomer } from '#shared/invoicing/customers/rules.ts';
import { derivedInvoice, type InvoiceFacts } from '#shared/invoicing/derivations.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { createNumberSeries } from '#shared/invoicing/number-series/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { type Creation, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { timeOf } from '#shared/platform/id.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

/** A draft may name a series that was deleted; the series of a number exists. */
const isBinding = ({ owner }: Reference, row: Row): boolean => owner !== 'numberSeries' || row['number'] !== null;

type CreateOwner = (facts: Facts, creation: Creation) => Entity;

/** The rows that name the owner. */
interface Facts extends InvoiceFacts {
  readonly invoices: readonly Invoice[];
  readonly refunds: readonly Refund[];
}

/** The known values of a lost owner: its id, and the sums of the rows that name it. */
const PLACEHOLDERS: { readonly [Name in ResourceName]?: CreateOwner } = {
  customers: (_, creation) =>
    createCustomer(
      { name: REPAIR_TEXT, email: null, tax_id: null, address: null, external_id: null, metadata: {} },
      creation,
    ),
  invoices: ({ refunds, ...facts }, creation) => {
    const { items, payments, creditNotes } = facts;
    const { currency } = (items[0] ?? payments[0] ?? creditNotes[0] ?? refunds[0]) as { currency: string };
    const terms = { ...DEFAULT_TERMS, currency, description: REPAIR_TEXT };
    return derivedInvoice(createInvoice(terms, creation), facts);
  },
  numberSeries: ({ invoices, creditNotes }, creation) => {
    const documents = [...invoices, ...creditNotes];
    // Texts of a series are in the order of their numbers once shorter texts come first.
    const [first = '', ...others] = documents
      .flatMap(({ number }) => number ?? [])
      .sort((a, b) => a.length - b.length || a.localeCompare(b));
    const prefix = first.replace(/\d+$/, '');
    const numberIn = (text: string): number => Number(text.slice(prefix.length));
    const digits = first.length - prefix.length;
    const terms = { prefix, digits, first_number: numberIn(first), status: 'active' } as const;
    return {
      ...createNumberSeries(terms, creation),
      last_number: numberIn(others.at(-1) ?? first),
      last_issue_date:
        documents
          .map(({ issue_date }) => issue_date)
          .sort()
          .at(-1) ?? null,
    };
  },
  payments: ({ refunds }, { id, at }): Payment => {
    const [{ invoice_id, currency }] = refunds as [Refund];
    const cents = refunds.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
    const amounts = { amount_cents: cents, amount_refunded_cents: cents, currency };
    const entity = { id, version: 1, created_at: at, updated_at: at };
    return {
      ...entity,
      invoice_id,
      ...amounts,
      method: 'other',
      reference: REPAIR_TEXT,
      external_id: null,
      created_by: '',
      voided_at: null,
      void_reason: null,
    };
  },
};

export const owners: Check = {
  name: 'owners',
  holds: 'A field that names another resource is null, or the id of a stored row of the same account.',
  repairs: 'A lost owner is created again with what other rows know of it. The name of a deleted owner becomes null.',
  find: (state) =>
    REFERENCES.flatMap((reference) => {
      const stored = new Set(state.rows[reference.owner].map(({ id }) => id));
      return state.rows[reference.table].flatMap((row): Finding[] => {
        const id = row[reference.field];
        if (typeof id !== 'number' || stored.has(id) || !isBinding(reference, row)) return [];
        const detail = `No ${tables[reference.owner].noun} has its ${reference.field} ${id}.`;
        const known = knownOf(state, reference.owner, id);
        const repair = isDeleted(known) ? forget(reference, row) : createOwner(reference, id, state);
        return [{ table: reference.table, id: row.id, detail, evidence: [row.version, known], repair }];
      });
    }),
};

/** @returns undefined if the field cannot be null */
const forget = ({ table, field }: Reference, row: Row): Repair | undefined => {
  const before = memberOf(tables[table], row);
  const after = { ...before, [field]: null };
  try {
    RESOURCES[table].checkRow(after, [field]);
  } catch {
    return undefined;
  }
  return ({ commit, stores, now }) =>
    commit(() => storeOf(stores, table).replace(before, nextVersion(before, after, now())));
};

/** Several rows may name one owner: the first repair creates the owner, and later repairs find it. */
const createOwner = ({ owner, field }: Reference, id: number, state: AccountState): Repair | undefined => {
  const create = PLACEHOLDERS[owner];
  const of = subjectOf(owner);
  if (!create || !of) return undefined;
  const naming = <T>(table: ResourceName) =>
    state.rows[table].filter((row) => row[field] === id) as unknown as readonly T[];
  const facts = {
    invoices: naming<Invoice>('invoices'),
    items: naming<InvoiceItem>('invoiceItems'),
    payments: naming<Payment>('payments'),
    creditNotes: naming<CreditNote>('creditNotes'),
    refunds: naming<Refund>('refunds'),
  };
  const known = knownOf(state, owner, id);
  return async ({ commit, stores }) => {
    const store = storeOf(stores, owner);
    if ((await store.find([id], ['id' as never])).has(id)) return true;
    const version = lastVersion(known) + 1;
    const member = { ...create(facts, { id, at: timeOf(id) }), version };
    const change = lostChange(of, { id, version }, known);
    // The check of unique values writes the rows of its values, which may still exist.
    const writes = store.insert(member).filter(({ table }) => table !== 'uniqueValues');
    return commit(() => withChange(writes, change));
  };
};
