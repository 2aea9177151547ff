import { checkMetadata, type Metadata } from '#shared/invoicing/metadata/rules.ts';
import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export type Address = {
  line1?: string | null;
  line2?: string | null;
  city?: string | null;
  region?: string | null;
  postal_code?: string | null;
  /** ISO 3166 alpha-2. */
  country?: string | null;
};

/** What a client writes of a customer (CONTRACT §4). */
export interface CustomerDetails {
  name: string;
  email: string | null;
  tax_id: string | null;
  address: Address | null;
  metadata: Metadata;
}

export interface Customer extends CustomerDetails, Entity {
  /** How many invoices name this customer; no part of the resource, so it leaves `version` alone. */
  readonly invoice_count: number;
}

export const createCustomer = (details: CustomerDetails, birth: Creation): Customer =>
  createEntity({ ...details, invoice_count: 0 }, birth);

/** PATCH (RFC 7396). */
export const patchCustomer = (customer: Customer, patch: MergePatch<CustomerDetails>, at: string): Customer =>
  nextVersion(customer, checkMetadata(applyMergePatch(customer, patch)), at);

/** PUT: every writable field anew. */
export const replaceCustomer = (customer: Customer, details: CustomerDetails, at: string): Customer =>
  nextVersion(customer, { ...customer, ...details }, at);

/** A customer that any invoice names cannot be deleted (CONTRACT §4 Invoice rules). */
export const checkDeletable = (customer: Customer): void => {
  if (customer.invoice_count > 0) {
    throw new ProblemError('customer-in-use', {
      detail: `The number of invoices that name the customer is ${customer.invoice_count}.`,
    });
  }
};
