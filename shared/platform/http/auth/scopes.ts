export type RoleScopes = Readonly<Record<string, readonly string[]>>;

/**
 * The scopes in the texts of a token; spaces separate the scopes of a text.
 * @param prefix removed from the scopes that begin with it; other scopes grant nothing
 */
export const claimedScopes = (texts: readonly string[], prefix: string): readonly string[] =>
  texts
    .flatMap((text) => text.split(' '))
    .flatMap((scope) => (scope.startsWith(prefix) && scope !== prefix ? [scope.slice(prefix.length)] : []));

/** The role of a token: its only text that is a known role, or else a text that is no role (CONTRACT §2). */
export const claimedRole = (texts: readonly string[], roles: RoleScopes): string => {
  const known = new Set(texts.filter((text) => Object.hasOwn(roles, text)));
  const [only = ''] = known;
  return known.size === 1 ? only : texts.join(' ');
};

/** A token with both claims has the intersection of their scopes. An unknown role grants nothing (CONTRACT §2). */
export const effectiveScopes = (
  scopes: readonly string[] | undefined,
  role: string | undefined,
  roles: RoleScopes,
): ReadonlySet<string> => {
  if (role === undefined) return new Set(scopes);
  const grantedScopes = (Object.hasOwn(roles, role) && roles[role]) || [];
  return new Set(scopes ? grantedScopes.filter((name) => scopes.includes(name)) : grantedScopes);
};
