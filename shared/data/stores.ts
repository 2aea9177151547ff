import type { Customer } from '#shared/domain/customer.ts';
import type { Export } from '#shared/domain/export.ts';
import type { Invoice } from '#shared/domain/invoice.ts';
import type { InvoiceItem } from '#shared/domain/invoice-item.ts';
import type { Payment } from '#shared/domain/payment.ts';
import type { Refund } from '#shared/domain/refund.ts';
import { Counters } from './counters.ts';
import { Downloads } from './downloads.ts';
import type { Engine } from './engine.ts';
import { Store } from './store.ts';

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

export const stores = (engine: Engine, account: string): Stores => ({
  customers: new Store(engine, 'customers', account),
  invoices: new Store(engine, 'invoices', account),
  items: new Store(engine, 'items', account),
  payments: new Store(engine, 'payments', account),
  refunds: new Store(engine, 'refunds', account),
  exports: new Store(engine, 'exports', account),
  counters: new Counters(account),
  downloads: new Downloads(engine.bucket, account),
});
