/** The caller, from the token's verified claims only (§5). */
export interface Caller {
  readonly sub: string;
  readonly account: string;
  /** The role claim; machine clients have none. */
  readonly role: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly expires: number;
}
