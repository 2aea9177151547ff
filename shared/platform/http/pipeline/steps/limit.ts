import type { Caller } from '#shared/platform/http/caller.ts';
import { type Operation, routeOf } from '#shared/platform/http/endpoint.ts';
import type { RequestContext, Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { BURST_S, type Limiter } from '#shared/platform/limits/limiter.ts';
import { ProblemError } from '#shared/platform/problem.ts';

interface Dependencies {
  /** Undefined when no limit is configured. */
  readonly limiter?: Limiter | undefined;
}

const LIST_COST = 2;
const WRITE_COST = 5;

/** CONTRACT §16. */
export const costOf = (operation: Operation): number => {
  if (routeOf(operation).method !== 'GET') return WRITE_COST;
  return operation.list ? LIST_COST : 1;
};

/**
 * 429 above the account's limit (CONTRACT §16). The count runs in parallel with the parsing and the reads of the handler,
 * and the commit waits for both ({@link requireBudget}).
 */
export const limit: Step<Operation, Dependencies> = {
  name: 'limit',
  refuses: ['too-many-requests'],
  // The redirect to a file is followed to another service, which has no such budget.
  writes: (_, status) => ([303, 401].includes(status) ? [] : ['RateLimit-Policy', 'RateLimit']),
  before: (event, { endpoint, limiter }) => {
    if (!limiter) return;
    const waitMs = limiter.check((event.caller as Caller).account, costOf(endpoint));
    if (waitMs === undefined) return;
    if (typeof waitMs === 'number') throw refusalOf(waitMs, limiter.rate);
    event.refusal = waitMs.then((wait) => (wait === undefined ? undefined : refusalOf(wait, limiter.rate)));
  },
  after: ({ event, response: { statusCode, headers }, error }, { limiter }) => {
    const { caller } = event;
    if (!limiter || !caller) return;
    const isRefused = error instanceof LimitError;
    const left = isRefused ? 0 : limiter.remaining(caller.account);
    event.budgetLeft = left;
    if (statusCode === 303) return;
    headers['ratelimit-policy'] = `"account";q=${limiter.rate * BURST_S};w=${BURST_S}`;
    if (left === undefined) return;
    const seconds = isRefused ? error.details.retryAfter : Math.max(1, Math.ceil(left / limiter.rate));
    headers['ratelimit'] = `"account";r=${left};t=${seconds}`;
  },
};

/** The 429 of this step, which the problems of later steps and of the handler must not replace. */
export class LimitError extends ProblemError<'too-many-requests'> {}

const refusalOf = (waitMs: number, rate: number): LimitError =>
  new LimitError('too-many-requests', {
    detail: `The account has used its budget: ${rate} a second, and ${rate * BURST_S} at once.`,
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
    members: { 'violated-policies': ['account'] },
  });

/** @throws LimitError when the account is above its limit */
export const requireBudget = async ({ refusal }: RequestContext): Promise<void> => {
  const error = await refusal;
  if (error) throw error;
};
