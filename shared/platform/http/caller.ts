/** The caller, from the token's verified claims only (§5). */
export interface Caller {
  readonly sub: string;
  readonly account: string;
  /** The role claim; machine clients have none. */
  readonly role: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** The claims that the token lacks, if it has neither a scope nor a role. */
  readonly missingClaims?: readonly string[];
  readonly expires: number;
}
