import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { type Listing, parseListing } from '#shared/platform/http/request/pagination.ts';
import type { Violation } from '#shared/platform/problem.ts';

/** The query of a list. */
export type Parameters = Readonly<Record<string, string>>;

/** A request for a list of customers or, at any other path, of invoices. */
export const parse = (
  parameters: Parameters,
  path = '/v1/invoices',
  account = 'acct_1',
  indexes: readonly (readonly string[])[] = path.endsWith('customers') ? Customer.indexes : Invoice.indexes,
): { listing: Listing; violations: readonly Violation[] } => {
  const violations: Violation[] = [];
  const isOfCustomers = path.endsWith('customers');
  const listing = parseListing({
    account,
    path,
    fields: isOfCustomers ? Customer.fields.v1 : Invoice.fields.v1,
    list: { ...(isOfCustomers ? Customer : Invoice), indexes },
    parameters: new Map(Object.entries(parameters)),
    violations,
    attributes: undefined,
  });
  return { listing, violations };
};
