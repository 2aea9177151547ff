import type { Customer } from '#shared/invoicing/customers/rules.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import type { Engine } from '#shared/platform/data/client.ts';
import { Counters } from '#shared/platform/data/counters.ts';
import { Downloads } from '#shared/platform/data/downloads.ts';
import { Store } from '#shared/platform/data/store.ts';
import type { Member } from '#shared/platform/entity.ts';
import { tables } from './tables.ts';

/** The stores of one account's rows, by the names of their tables. */
export interface Collections {
  readonly customers: Store<Customer>;
  readonly invoices: Store<Invoice>;
  readonly items: Store<InvoiceItem>;
  readonly payments: Store<Payment>;
  readonly refunds: Store<Refund>;
  readonly exports: Store<Export>;
}

/** Every store, for one account. */
export interface Stores extends Collections {
  readonly counters: Counters;
  readonly downloads: Downloads;
}

export const stores = (engine: Engine, account: string): Stores => {
  const store = <T extends Member>(name: keyof Collections) => new Store<T>(engine, { ...tables[name], name }, account);
  return {
    customers: store('customers'),
    invoices: store('invoices'),
    items: store('items'),
    payments: store('payments'),
    refunds: store('refunds'),
    exports: store('exports'),
    counters: new Counters(account),
    downloads: new Downloads(engine.bucket, account),
  };
};
