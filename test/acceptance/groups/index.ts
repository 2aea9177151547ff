import type { Group } from '../suite/check.ts';
import { access } from './access/operations.ts';
import { policy } from './access/policy.ts';
import { publicEndpoints } from './access/public-endpoints.ts';
import { tenancy } from './access/tenancy.ts';
import { tokens } from './access/tokens.ts';
import { cursors } from './collections/cursors.ts';
import { filters } from './collections/filters.ts';
import { cursorPages, numberedPages } from './collections/pages.ts';
import { dryRunValues } from './dry-runs/dry-run-values.ts';
import { dryRuns } from './dry-runs/dry-runs.ts';
import { refusedDryRuns } from './dry-runs/refused-dry-runs.ts';
import { eventTypes } from './events/event-types.ts';
import { events } from './events/events.ts';
import { eventsOfNothing } from './events/events-of-nothing.ts';
import { expandedEvents } from './events/expanded-events.ts';
import { exportFiles } from './exports/export-files.ts';
import { exportJobs } from './exports/export-jobs.ts';
import { conditionalRequests } from './requests/conditional-requests.ts';
import { fieldSelection } from './requests/field-selection.ts';
import { idempotency } from './requests/idempotency.ts';
import { operationHeaders } from './requests/operation-headers.ts';
import { problems } from './requests/problems.ts';
import { pathsAndMethods, queries } from './requests/queries-and-paths.ts';
import { requestBodies } from './requests/request-bodies.ts';
import { responseHeaders } from './requests/response-headers.ts';
import { concurrency } from './resources/concurrency.ts';
import { customers } from './resources/customers.ts';
import { invoiceItemStates } from './resources/invoice-item-states.ts';
import { invoiceItems } from './resources/invoice-items.ts';
import { invoiceRefusals } from './resources/invoice-refusals.ts';
import { invoices } from './resources/invoices.ts';
import { money } from './resources/money.ts';
import { payments } from './resources/payments.ts';
import { refunds } from './resources/refunds.ts';
import { values } from './resources/values.ts';
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
  webhookEndpoints,
  webhookEndpointValues,
  cursors,
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
