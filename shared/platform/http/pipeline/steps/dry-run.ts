import { isWrite, type Operation } from '#shared/platform/endpoint.ts';
import { type Step, when } from './step.ts';

export const DRY_RUN = 'dry_run';

/**
 * Marks a request that only shows what it would do (CONTRACT §13). It is the first step after the log, because a problem
 * of any later step must have the header.
 */
export const dryRun: Step<Operation> = {
  name: 'dryRun',
  writes: (endpoint) => when(isWrite(endpoint), 'Dry-Run'),
  before: (event, { endpoint }) => {
    event.isDryRun = isWrite(endpoint) && new URLSearchParams(event.rawQueryString).getAll(DRY_RUN).includes('true');
  },
  after: ({ event, response }) => {
    if (event.isDryRun) response.headers['dry-run'] = 'true';
  },
};
