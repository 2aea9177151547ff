import type { Product } from './product.ts';
import type { Amounts, Place } from './wire/money.ts';

/** One thing wrong with a request: where (RFC 6901 pointer, parameter or header), a stable code and a sentence. */
export type Violation = ({ pointer: string } | { parameter: string } | { header: string }) & {
  code: string;
  detail: string;
};

/** What breaks the rule, by its v1 name, is `field` or `amount`; each version points at its own form of it. */
export interface ProblemDetails extends Place {
  /** A sentence for the client; without it the catalogue's title is all that is said. */
  detail?: string;
  violations?: readonly Violation[];
  /** Members of the problem, the same in every version. */
  members?: Readonly<Record<string, unknown>>;
  /** Members of the problem that are amounts; the explanation of the code says what they mean. */
  amounts?: Amounts<Product['problemAmount']>;
  /** The scope that the token lacks, with `insufficient-scope`. */
  scope?: Product['scope'];
  /** The member's current version, with `precondition-failed`. */
  version?: number;
  /** The methods that the path has, with `method-not-allowed`. */
  methods?: readonly string[];
}

/** The one way to say no: a stable code with what the client may know about it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: Product['code'];
  readonly details: ProblemDetails;

  constructor(code: Product['code'], facts: ProblemDetails = {}) {
    super(facts.detail ?? code);
    this.code = code;
    this.details = facts;
  }
}

/** What a code means to a client: its usual status and title, and after how many seconds to retry, where that helps. */
export interface ProblemType {
  readonly status: number;
  readonly title: string;
  readonly retryAfter?: number;
}

export type Catalogue = Readonly<Record<Product['code'], ProblemType>>;

/** What a client should know of a code beyond its title. */
export interface Explanation {
  /** What the response says, in a sentence or two. */
  readonly meaning: string;
  /** How it comes about. */
  readonly cause: string;
  /** What to do now. */
  readonly remedy: string;
  /** What the amounts mean that the problem holds, by their v1 names. */
  readonly amounts?: Readonly<Record<`${string}_cents`, string>>;
}
