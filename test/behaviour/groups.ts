import type { Group } from '#test/acceptance/suite/check.ts';
import { access } from './access/operations.ts';
import { policy } from './access/policy.ts';
import { tenancy } from './access/tenancy.ts';
import { tokens } from './access/tokens.ts';
import { concurrency } from './concurrency/concurrency.ts';
import { customers } from './customers/customers.ts';
import { dryRunValues } from './dry-runs/dry-run-values.ts';
import { dryRuns } from './dry-runs/dry-runs.ts';
import { refusedDryRuns } from './dry-runs/refused-dry-runs.ts';
import { eventTypes } from './events/event-types.ts';
import { events } from './events/events.ts';
import { eventsOfNothing } from './events/events-of-nothing.ts';
import { expandedEvents } from './events/expanded-events.ts';
import { exportFiles } from './exports/export-files.ts';
import { exportJobs } from './exports/export-jobs.ts';
import { invoiceItemStates } from './invoice-items/invoice-item-states.ts';
import { invoiceItems } from './invoice-items/invoice-items.ts';
import { expandedItems } from './invoices/expanded-items.ts';
import { inlineItemRequests } from './invoices/inline-item-requests.ts';
import { inlineItems } from './invoices/inline-items.ts';
import { invoiceRefusals } from './invoices/invoice-refusals.ts';
import { invoices } from './invoices/invoices.ts';
import { limits } from './limits/limits.ts';
import { cursors } from './lists/cursors.ts';
import { dueDates } from './lists/due-dates.ts';
import { filters } from './lists/filters.ts';
import { cursorPages, numberedPages } from './lists/pages.ts';
import { payments } from './payments/payments.ts';
import { refunds } from './refunds/refunds.ts';
import { changedFields } from './requests/changed-fields.ts';
import { conditionalRequests } from './requests/conditional-requests.ts';
import { fieldSelection } from './requests/field-selection.ts';
import { idempotency } from './requests/idempotency.ts';
import { money } from './requests/money.ts';
import { operationHeaders } from './requests/operation-headers.ts';
import { problems } from './requests/problems.ts';
import { pathsAndMethods, queries } from './requests/queries-and-paths.ts';
import { requestBodies } from './requests/request-bodies.ts';
import { responseHeaders } from './requests/response-headers.ts';
import { values } from './requests/values.ts';
import { publicEndpoints } from './service/public-endpoints.ts';
import { webhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { webhookEndpointActions } from './webhooks/webhook-endpoint-actions.ts';
import { webhookEndpointValues } from './webhooks/webhook-endpoint-values.ts';
import { webhookEndpoints } from './webhooks/webhook-endpoints.ts';

/** All groups. They start in this order: those that wait for workers first, and those with many requests last. */
export const groups: readonly Group[] = [
  webhookDeliveries,
  webhookEndpointActions,
  exportFiles,
  exportJobs,
  changedFields,
  webhookEndpoints,
  webhookEndpointValues,
  cursors,
  dueDates,
  limits,
  dryRunValues,
  refusedDryRuns,
  eventsOfNothing,
  expandedEvents,
  conditionalRequests,
  pathsAndMethods,
  problems,
  publicEndpoints,
  queries,
  requestBodies,
  responseHeaders,
  tokens,
  customers,
  invoices,
  invoiceRefusals,
  invoiceItems,
  inlineItems,
  inlineItemRequests,
  expandedItems,
  invoiceItemStates,
  payments,
  refunds,
  policy,
  money,
  values,
  idempotency,
  events,
  fieldSelection,
  filters,
  operationHeaders,
  tenancy,
  access,
  concurrency,
  numberedPages,
  cursorPages,
  eventTypes,
  dryRuns,
];
