import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Authenticated } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import type { Step } from '#shared/platform/http/pipeline/steps/step.ts';
import { BURST_S, type Limiter } from '#shared/platform/limits/limiter.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export interface Limits {
  /** Undefined when no limit is configured. */
  readonly limiter?: Limiter | undefined;
}

export interface Limited {
  /**
   * Settles when the request is counted, with the 429 of an account above its budget. The count runs in parallel with the
   * parsing and the reads of the handler: the commit and each problem wait for it.
   */
  readonly refusal: Promise<ProblemError | undefined> | undefined;
}

/** 429 above the account's limit (CONTRACT §16). */
export const limit: Step<Authenticated, Limited, Operation, Limits> = {
  name: 'limit',
  refuses: ['too-many-requests'],
  // The redirect to a file leads to another service, which has no such budget.
  writes: (_, status) => ([303, 401].includes(status) ? [] : ['RateLimit-Policy', 'RateLimit']),
  run: ({ caller }, { endpoint, limiter }) => {
    const waitMs = limiter?.check(caller.account, endpoint.cost);
    if (limiter === undefined || waitMs === undefined) return { refusal: undefined };
    if (typeof waitMs === 'number') throw refusalOf(waitMs, limiter.rate);
    return { refusal: waitMs.then((wait) => (wait === undefined ? undefined : refusalOf(wait, limiter.rate))) };
  },
};

const refusalOf = (waitMs: number, rate: number): ProblemError =>
  new ProblemError('too-many-requests', {
    detail: `The account has used its budget: ${rate} a second, and ${rate * BURST_S} at once.`,
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
    members: { 'violated-policies': ['account'] },
  });

/**
 * Writes the headers of a limited account.
 * @returns the rest of its budget, if this instance knows the budget
 */
export const writeLimit = (
  { account }: Authenticated['caller'],
  limiter: Limiter,
  { statusCode, headers }: { readonly statusCode?: number | undefined; readonly headers: Record<string, unknown> },
  error: unknown,
): number | undefined => {
  const retryAfter =
    error instanceof ProblemError && error.code === 'too-many-requests' ? error.details.retryAfter : undefined;
  const left = retryAfter ? 0 : limiter.remaining(account);
  if (statusCode === 303) return left;
  headers['ratelimit-policy'] = `"account";q=${limiter.rate * BURST_S};w=${BURST_S}`;
  if (left === undefined) return left;
  const seconds = retryAfter ?? Math.max(1, Math.ceil(left / limiter.rate));
  headers['ratelimit'] = `"account";r=${left};t=${seconds}`;
  return left;
};
