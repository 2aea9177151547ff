export type RoleScopes = Readonly<Record<string, readonly string[]>>;

/** A token with both claims has the intersection of their scopes. An unknown role grants nothing (CONTRACT §2). */
export const effectiveScopes = (
  scope: string | undefined,
  role: string | undefined,
  roles: RoleScopes,
): ReadonlySet<string> => {
  const claimedScopes = scope === undefined ? undefined : scope.split(' ').filter(Boolean);
  if (role === undefined) return new Set(claimedScopes);
  const grantedScopes = (Object.hasOwn(roles, role) && roles[role]) || [];
  return new Set(claimedScopes ? grantedScopes.filter((name) => claimedScopes.includes(name)) : grantedScopes);
};
