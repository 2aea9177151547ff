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

/** The writable fields of a customer (CONTRACT §4). */
export interface CustomerDetails {
  name: string;
  email: string | null;
  tax_id: string | null;
  address: Address | null;
  external_id: string | null;
  metadata: Metadata;
}

/** PUT may leave out `external_id`, which then stays (CONTRACT §4). */
export type CustomerReplacement = Omit<CustomerDetails, 'external_id'> & Partial<Pick<CustomerDetails, 'external_id'>>;

export interface Customer extends CustomerDetails, Entity {
  /** Number of invoices with this customer. It is not in responses, so a change does not increment `version`. */
  readonly invoice_count: number;
  /** How often `invoice_count` has changed. */
  readonly invoice_count_changes: number;
}

/** The customer as of the commit that gave a document its number. */
export type BillTo = Pick<CustomerDetails, 'name' | 'email' | 'tax_id' | 'address'>;

export const toBillTo = ({ name, email, tax_id, address }: Customer): BillTo => ({ name, email, tax_id, address });

/** The count of a customer's invoices, for {@link Store.moveCount}. */
export const INVOICE_COUNT = { count: 'invoice_count', changes: 'invoice_count_changes' } as const;

export const createCustomer = (details: CustomerDetails, creation: Creation): Customer =>
  createEntity({ ...details, invoice_count: 0, invoice_count_changes: 0 }, creation);

export const patchCustomer = (customer: Customer, patch: MergePatch<CustomerDetails>, at: string): Customer =>
  nextVersion(customer, checkMetadata(applyMergePatch(customer, patch)), at);

export const replaceCustomer = (customer: Customer, details: CustomerReplacement, at: string): Customer =>
  nextVersion(customer, { ...customer, ...details }, at);

/** @throws ProblemError `customer-in-use` */
export const checkDeletable = (customer: Customer): void => {
  if (customer.invoice_count > 0) {
    throw new ProblemError('customer-in-use', {
      detail: `The number of invoices that name the customer is ${customer.invoice_count}.`,
    });
  }
};
