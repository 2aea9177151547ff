import { ProblemError } from '#shared/platform/problem.ts';

/** The largest amount in minor units (CONTRACT §3); sums of many amounts stay exact. */
export const MAX_CENTS = 999_999_999_999;

/** @throws ProblemError `validation-failed` when the currency differs from the resource's (CONTRACT §12) */
export const checkCurrency = (amount: string, named: unknown, owner: { currency: string }): void => {
  if (named === undefined || named === owner.currency) return;
  const detail = `The currency must be ${owner.currency}.`;
  throw new ProblemError('validation-failed', { field: 'currency', amount, detail });
};
