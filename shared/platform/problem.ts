import type { Product } from './product.ts';

/** One error in a request: its place (RFC 6901 pointer, parameter or header), a stable code and a sentence. */
export type Violation = ({ pointer: string } | { parameter: string } | { header: string }) & {
  code: string;
  detail: string;
};

/** A place in a body, by v1 names; with both members, the currency of the amount. */
export interface Place {
  readonly field?: string;
  readonly amount?: string;
}

export type Amounts<Name extends `${string}_cents` = `${string}_cents`> = { readonly [N in Name]?: number } & {
  readonly currency: string;
};

/** `field` and `amount` are v1 names; each version converts them to its own pointer. */
export interface ProblemDetails extends Place {
  /** A sentence for the client; the catalogue's title by default. */
  detail?: string;
  violations?: readonly Violation[];
  /** Extension members, the same in every version. */
  members?: Readonly<Record<string, unknown>>;
  /** Extension members that are amounts; the explanation of the code describes them. */
  amounts?: Amounts<Product['problemAmount']>;
  scope?: Product['scope'];
  version?: number;
  /** In seconds; the catalogue's by default. */
  retryAfter?: number;
  methods?: readonly string[];
}

/** Every error response to a client is a ProblemError: a stable code and details that the client may see. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: Product['code'];
  readonly details: ProblemDetails;

  constructor(code: Product['code'], details: ProblemDetails = {}) {
    super(details.detail ?? code);
    this.code = code;
    this.details = details;
  }
}

export interface ProblemType {
  readonly status: number;
  readonly title: string;
  readonly retryAfter?: number;
}

export type Catalogue = Readonly<Record<Product['code'], ProblemType>>;

export interface Explanation {
  readonly meaning: string;
  readonly cause: string;
  readonly remedy: string;
  /** The meaning of the problem's amounts, by v1 names. */
  readonly amounts?: Readonly<Record<`${string}_cents`, string>>;
}
