import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { type Facts, Refusal } from '#shared/platform/problem.ts';

/** The refusal that an action throws. Fails when the action throws nothing, or another error. */
export const refusalOf = (action: () => unknown): { code: ProblemCode; facts: Facts } => {
  try {
    action();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, facts: error.facts };
    throw error;
  }
  throw new Error('The action did not throw a refusal.');
};
