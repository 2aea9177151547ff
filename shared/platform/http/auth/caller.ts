/** Who asks, by the token's verified claims alone (§5). */
export interface Caller {
  /** The subject: who acts. */
  readonly sub: string;
  /** The account on whose resources they act. */
  readonly account: string;
  /** The role claim, as it was sent; a machine client has none. */
  readonly role: string | undefined;
  readonly scopes: ReadonlySet<string>;
  /** When the token ends, in epoch seconds. */
  readonly expires: number;
}
