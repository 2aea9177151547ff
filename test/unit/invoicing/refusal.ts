import type { ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { type Facts, Refusal } from '#shared/platform/problem.ts';

/** The refusal that an action ends with; a test fails where it ends otherwise. */
export const refusalOf = (action: () => unknown): { code: ProblemCode; facts: Facts } => {
  try {
    action();
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, facts: error.facts };
    throw error;
  }
  throw new Error('Nothing was refused.');
};
