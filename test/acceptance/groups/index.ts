import { genericGroups } from '../generic/index.ts';
import { ownProfiles } from '../generic/own.ts';
import type { Group } from '../suite/check.ts';
import { access } from './access.ts';
import { concurrency } from './concurrency.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { customers } from './customers.ts';
import { idempotency } from './idempotency.ts';
import { invoiceItemStates } from './invoice-item-states.ts';
import { invoiceItems } from './invoice-items.ts';
import { invoiceRefusals } from './invoice-refusals.ts';
import { invoices } from './invoices.ts';
import { money } from './money.ts';
import { operationHeaders } from './operations.ts';
import { payments } from './payments.ts';
import { policy } from './policy.ts';
import { publicPages } from './public.ts';
import { refunds } from './refunds.ts';
import { tenancy } from './tenancy.ts';
import { tokens } from './tokens.ts';
import { values } from './values.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [
  access,
  tenancy,
  operationHeaders,
  tokens,
  customers,
  invoices,
  invoiceRefusals,
  invoiceItems,
  invoiceItemStates,
  payments,
  refunds,
  policy,
  money,
  values,
  publicPages,
  conditionalRequests,
  idempotency,
  concurrency,
  ...ownProfiles.flatMap(genericGroups),
];
