/** The scopes of each role. */
export type RoleScopes = Readonly<Record<string, readonly string[]>>;

/**
 * The scopes a token carries: those of its scope claim, those of its role, or what both grant (CONTRACT §2).
 * An unknown role grants nothing; scopes match exactly.
 */
export const effectiveScopes = (
  scope: string | undefined,
  role: string | undefined,
  roles: RoleScopes,
): ReadonlySet<string> => {
  const claimed = scope === undefined ? undefined : scope.split(' ').filter(Boolean);
  if (role === undefined) return new Set(claimed);
  const granted = (Object.hasOwn(roles, role) && roles[role]) || [];
  return new Set(claimed ? granted.filter((one) => claimed.includes(one)) : granted);
};
