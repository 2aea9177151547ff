export type RoleScopes = Readonly<Record<string, readonly string[]>>;

/** With both claims, the intersection of their scopes; an unknown role grants nothing (CONTRACT §2). */
export const effectiveScopes = (
  scope: string | undefined,
  role: string | undefined,
  roles: RoleScopes,
): ReadonlySet<string> => {
  const claimed = scope === undefined ? undefined : scope.split(' ').filter(Boolean);
  if (role === undefined) return new Set(claimed);
  const granted = (Object.hasOwn(roles, role) && roles[role]) || [];
  return new Set(claimed ? granted.filter((name) => claimed.includes(name)) : granted);
};
