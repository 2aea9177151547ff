import type { Group } from '../suite/check.ts';
import { cursorPages, numberedPages } from './collections.ts';
import { conditionalRequests } from './conditional-requests.ts';
import { cursors } from './cursors.ts';
import { dryRuns, refusedDryRuns } from './dry-runs.ts';
import { eventTypes } from './event-types.ts';
import { events, eventsOfNothing, expandedEvents } from './events.ts';
import { exportFiles, exportJobs } from './exports.ts';
import { fieldSelection } from './field-selection.ts';
import { filters } from './filters.ts';
import { problems } from './problems.ts';
import { publicEndpoints } from './public-endpoints.ts';
import { pathsAndMethods, queries } from './queries-and-paths.ts';
import { requestBodies } from './request-bodies.ts';
import { responseHeaders } from './response-headers.ts';
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
  ...dryRuns,
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
];
