import type { Product } from './product.ts';

/** One thing wrong with a request: where (RFC 6901 pointer, parameter or header), a stable code and a sentence. */
export type Violation = ({ pointer: string } | { parameter: string } | { header: string }) & {
  code: string;
  detail: string;
};

export interface Facts {
  /** A sentence for the client; without it the catalogue's title is all that is said. */
  detail?: string;
  /** The v1 name of the body's field that breaks the rule; each version points at its own form of it. */
  field?: string;
  /** The part of an amount that is meant, in versions where an amount has parts. */
  member?: 'currency';
  /** The amount of a currency field, which is a part of that amount in versions where an amount has parts. */
  amount?: string;
  violations?: readonly Violation[];
  /** Members of the problem by their v1 names, such as `amount_due_cents`; amounts come with their `currency`. */
  members?: Readonly<Record<string, unknown>>;
  /** The scope that the token lacks, with `insufficient-scope`. */
  scope?: Product['scope'];
  /** The member's current version, with `precondition-failed`. */
  version?: number;
  /** The methods that the path has, with `method-not-allowed`. */
  methods?: readonly string[];
}

/** The one way to say no: a stable code with what the client may know about it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: Product['code'];
  readonly facts: Facts;

  constructor(code: Product['code'], facts: Facts = {}) {
    super(facts.detail ?? code);
    this.code = code;
    this.facts = facts;
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
}
