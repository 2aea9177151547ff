import { type ProblemDetails, ProblemError } from '#shared/platform/problem.ts';
import type { ProblemCode } from '#shared/vocabulary.ts';

/** Runs an action and returns the problem that it throws. */
export const problemOf = (action: () => unknown): { code: ProblemCode; facts: ProblemDetails } => {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return { code: error.code, facts: error.details };
    throw error;
  }
  throw new Error('The action threw no ProblemError.');
};
