import type { ProblemCode, Problems } from '#shared/vocabulary.ts';

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

type AmountName = `${string}_cents`;

export type Amounts<Name extends AmountName = AmountName> = { readonly [N in Name]: number } & {
  readonly currency: string;
};

/** A member of which a client has an earlier version. */
export interface StaleMember {
  readonly id: number;
  /** The version that the client has. */
  readonly since: number;
  readonly version: number;
}

/** `field` and `amount` are v1 names; each version converts them to its own pointer. */
export interface ProblemDetails extends Place {
  /** A sentence for the client; the catalogue's title by default. */
  detail?: string;
  violations?: readonly Violation[];
  /** Extension members, the same in every version. */
  members?: Readonly<Record<string, unknown>>;
  /** Extension members that are amounts, with the names that the catalogue has for the code. */
  amounts?: Amounts;
  /** Headers of the response. */
  headers?: Readonly<Record<string, string>>;
  /** With `precondition-failed`, if the client has an earlier version. */
  stale?: StaleMember;
  /** In seconds; by default, the catalogue's value. */
  retryAfter?: number;
}

/** A problem whose code has amounts needs exactly these amounts. */
type DetailsOf<C extends ProblemCode> = C extends PlainCode
  ? [details?: Omit<ProblemDetails, 'amounts'>]
  : [details: Omit<ProblemDetails, 'amounts'> & { readonly amounts: Amounts<AmountsOf<C>[number]> }];

type AmountsOf<C extends ProblemCode> = Problems[C] extends {
  readonly amounts: infer Names extends readonly AmountName[];
}
  ? Names
  : readonly [];

/** A code without amounts. */
export type PlainCode = {
  [C in ProblemCode]: AmountsOf<C> extends readonly [] ? C : never;
}[ProblemCode];

/** Every error response to a client is a ProblemError: a stable code and details that the client may see. */
export class ProblemError<C extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: C, ...more: DetailsOf<C>) {
    const [details = {}] = more as [ProblemDetails?];
    super(details.detail ?? code);
    this.code = code;
    this.details = details;
  }
}

export interface Explanation {
  readonly meaning: string;
  readonly cause: string;
  readonly remedy: string;
  /** The meanings of its amounts. */
  readonly amounts?: Readonly<Record<AmountName, string>>;
}

export type Explanations = {
  readonly [C in ProblemCode]: C extends PlainCode
    ? Omit<Explanation, 'amounts'>
    : Explanation & { readonly amounts: Readonly<Record<AmountsOf<C>[number], string>> };
};
