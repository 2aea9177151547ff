import type { Customer } from '#shared/domain/customer.ts';
import type { Invoice } from '#shared/domain/invoice.ts';
import { type Engine, Store } from './store.ts';

/** Every store, for one account. */
export interface Stores {
  readonly customers: Store<Customer>;
  readonly invoices: Store<Invoice>;
}

export const stores = (engine: Engine, account: string): Stores => ({
  customers: new Store(engine, 'customers', account),
  invoices: new Store(engine, 'invoices', account),
});
