import type { Service } from './service.ts';

/** One expectation of the contract, checked by requests alone. */
export interface Check {
  /** The clause that it proves, such as `CONTRACT §7` or `§4`. */
  readonly clause: string;
  /** A condition and the expected result. */
  readonly title: string;
  run(service: Service): Promise<void>;
}

/** Checks of one subject. They run one after another in accounts of their own, and other groups run at the same time. */
export interface Group {
  readonly name: string;
  readonly checks: readonly Check[];
}

export const check = (clause: string, title: string, run: Check['run']): Check => ({ clause, title, run });

/** Thrown by a check that needs something which the deployment, or its token command, does not have. */
export class Skipped extends Error {}
