import type { Endpoint } from '#shared/http/endpoint.ts';
import createCustomer from './customers/create.ts';
import deleteCustomer from './customers/delete.ts';
import getCustomer from './customers/get.ts';
import listCustomers from './customers/list.ts';
import replaceCustomer from './customers/replace.ts';
import updateCustomer from './customers/update.ts';
import cancelInvoice from './invoices/cancel.ts';
import createInvoice from './invoices/create.ts';
import deleteInvoice from './invoices/delete.ts';
import getInvoice from './invoices/get.ts';
import listInvoices from './invoices/list.ts';
import replaceInvoice from './invoices/replace.ts';
import updateInvoice from './invoices/update.ts';
import fallback from './meta/fallback.ts';
import health from './meta/health.ts';

const routed = {
  'customers/list': listCustomers,
  'customers/create': createCustomer,
  'customers/get': getCustomer,
  'customers/update': updateCustomer,
  'customers/replace': replaceCustomer,
  'customers/delete': deleteCustomer,
  'invoices/list': listInvoices,
  'invoices/create': createInvoice,
  'invoices/get': getInvoice,
  'invoices/update': updateInvoice,
  'invoices/replace': replaceInvoice,
  'invoices/delete': deleteInvoice,
  'invoices/cancel': cancelInvoice,
  'meta/health': health,
} satisfies Record<string, Endpoint>;

/** The table: every endpoint by the name of its file. Lambdas, routes, grants and tests derive from it. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...routed,
  'meta/fallback': fallback(Object.values(routed)),
};
