type Claims = Readonly<Record<string, unknown>>;

/** The accepted issuer, and the claims of its tokens that the service reads (CONTRACT §2). */
export interface Identity {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly claims: ClaimNames;
  /** Removed from the scopes that begin with it. Other scopes grant nothing. */
  readonly scopePrefix: string;
}

/** Each is the name of a claim, or a JSON Pointer (RFC 6901), which begins with `/`. */
interface ClaimNames {
  readonly account: string;
  /** The first claim that a token has counts. */
  readonly scope: readonly string[];
  readonly role: string;
  readonly audience: string;
}

/** Matches each name that does not begin with `/`, and each JSON Pointer. */
export const CLAIM_NAME: RegExp = /^(?:[^/].*|(?:\/(?:[^~/]|~[01])*)+)$/s;

const membersOf = (name: string): string[] =>
  name.startsWith('/')
    ? name
        .slice(1)
        .split('/')
        .map((member) => member.replaceAll('~1', '/').replaceAll('~0', '~'))
    : [name];

export const readClaim = (claims: Claims, name: string): unknown =>
  membersOf(name).reduce<unknown>(
    (value, member) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, member)
        ? Reflect.get(value, member)
        : undefined,
    claims,
  );

/** Adds a claim, and the objects that its JSON Pointer needs. */
export const writeClaim = (claims: Record<string, unknown>, name: string, value: unknown): void => {
  const members = membersOf(name);
  const last = members.pop() as string;
  let owner = claims;
  for (const member of members) {
    owner[member] ??= {};
    owner = owner[member] as Record<string, unknown>;
  }
  owner[last] = value;
};

/** @returns undefined for a value that is neither a string nor an array of strings */
export const textsOf = (value: unknown): readonly string[] | undefined => {
  const values = Array.isArray(value) ? value : [value];
  return values.every((one) => typeof one === 'string') ? values : undefined;
};
