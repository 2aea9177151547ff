import type { Check } from './check.ts';
import { feed, outbox } from './feed-checks.ts';
import { files, jobs } from './job-checks.ts';
import { owners } from './owner-checks.ts';
import { pages } from './page-checks.ts';
import { records } from './record-checks.ts';
import { indexes, values } from './row-checks.ts';
import { numberSeries } from './series-checks.ts';
import { counters, customers, invoices, payments } from './sum-checks.ts';
import { uniqueValues } from './unique-checks.ts';
import { deletions, versions } from './version-checks.ts';
import { deliveredEvents, deliveries, pendingDeliveries, positions } from './webhook-checks.ts';

/**
 * Every check, in the order of repairs: a repair may rely on the checks before it. The feed is complete before versions
 * are compared with it; deleted rows are gone and lost owners are back before sums are derived.
 */
export const CHECKS: readonly Check[] = [
  values,
  indexes,
  outbox,
  feed,
  deletions,
  owners,
  records,
  versions,
  payments,
  invoices,
  customers,
  numberSeries,
  uniqueValues,
  counters,
  jobs,
  files,
  positions,
  deliveredEvents,
  deliveries,
  pendingDeliveries,
  pages,
];
