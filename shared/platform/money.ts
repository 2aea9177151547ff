import { ProblemError } from '#shared/platform/problem.ts';

/** The largest amount, in minor units (CONTRACT §3): sums of that many stay exact. */
export const MAX_CENTS = 999_999_999_999;

/**
 * A currency named beside an amount must be the one the resource has already (CONTRACT §12).
 * @param amount its v1 name
 * @throws ProblemError `validation-failed` at the amount's currency
 */
export const checkCurrency = (amount: string, named: string | undefined, owner: { currency: string }): void => {
  if (named === undefined || named === owner.currency) return;
  const detail = `The currency must be ${owner.currency}.`;
  throw new ProblemError('validation-failed', { field: 'currency', amount, detail });
};
