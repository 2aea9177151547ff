import { type Endpoint, isWrite } from '#shared/platform/endpoint.ts';
import { type Step, when } from './step.ts';

export const DRY_RUN = 'dry_run';

const WRITE_METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'];

/**
 * Marks a request that only shows what it would do (CONTRACT §13). It is the first step after the log, because a problem
 * of any later step must have the header.
 */
export const dryRun: Step<Endpoint> = {
  name: 'dryRun',
  writes: (endpoint) => when(isWrite(endpoint), 'Dry-Run'),
  before: (event) => {
    const { method, rawQueryString } = event;
    event.isDryRun =
      WRITE_METHODS.includes(method) && new URLSearchParams(rawQueryString).getAll(DRY_RUN).includes('true');
  },
  after: ({ event, response }) => {
    if (event.isDryRun) response.headers['dry-run'] = 'true';
  },
};
