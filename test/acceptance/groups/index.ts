import { genericGroups } from '../generic/index.ts';
import { ownProfiles } from '../generic/own.ts';
import type { Group } from '../suite/check.ts';
import { access } from './access.ts';
import { cursorPages, numberedPages } from './collections.ts';
import { concurrency } from './concurrency.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { cursors } from './cursors.ts';
import { customers } from './customers.ts';
import { dryRuns, refusedDryRuns } from './dry-runs.ts';
import { eventTypes } from './event-types.ts';
import { events, eventsOfNothing, expandedEvents } from './events.ts';
import { exportFiles, exportJobs } from './exports.ts';
import { fieldSelection } from './field-selection.ts';
import { filters } from './filters.ts';
import { idempotency } from './idempotency.ts';
import { invoiceItemStates } from './invoice-item-states.ts';
import { invoiceItems } from './invoice-items.ts';
import { invoiceRefusals } from './invoice-refusals.ts';
import { invoices } from './invoices.ts';
import { money } from './money.ts';
import { operationHeaders } from './operations.ts';
import { payments } from './payments.ts';
import { policy } from './policy.ts';
import { problems } from './problems.ts';
import { publicEndpoints } from './public-endpoints.ts';
import { pathsAndMethods, queries } from './queries-and-paths.ts';
import { refunds } from './refunds.ts';
import { requestBodies } from './request-bodies.ts';
import { responseHeaders } from './response-headers.ts';
import { tenancy } from './tenancy.ts';
import { tokens } from './tokens.ts';
import { values } from './values.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';
import { webhookEndpoints } from './webhooks.ts';

/** All groups. They start in this order: those that wait for workers first. */
export const groups: readonly Group[] = [
  webhookDeliveries,
  webhookEndpoints,
  cursorPages,
  numberedPages,
  cursors,
  filters,
  fieldSelection,
  dryRuns,
  refusedDryRuns,
  exportFiles,
  exportJobs,
  eventTypes,
  events,
  eventsOfNothing,
  expandedEvents,
  conditionalRequests,
  pathsAndMethods,
  problems,
  publicEndpoints,
  queries,
  requestBodies,
  responseHeaders,
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
  idempotency,
  concurrency,
  ...ownProfiles.flatMap(genericGroups),
];
