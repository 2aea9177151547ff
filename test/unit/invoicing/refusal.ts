import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { type ProblemDetails, ProblemError } from '#shared/platform/problem.ts';

/** The refusal that an action throws. Fails when the action throws nothing, or another error. */
export const refusalOf = (action: () => unknown): { code: ProblemCode; facts: ProblemDetails } => {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return { code: error.code, facts: error.details };
    throw error;
  }
  throw new Error('The action did not throw a refusal.');
};
