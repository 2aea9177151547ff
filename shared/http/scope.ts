const NOUNS = ['customers', 'invoices', 'payments', 'refunds', 'exports'] as const;

export type Noun = (typeof NOUNS)[number];
export type Scope = `${Noun}:${'read' | 'write'}`;

const READ: readonly Scope[] = NOUNS.map((noun) => `${noun}:read` as const);
const CLERK: readonly Scope[] = [...READ, 'customers:write', 'invoices:write', 'payments:write'];
const ACCOUNTANT: readonly Scope[] = [...CLERK, 'refunds:write', 'exports:write'];

export const ROLES = ['viewer', 'clerk', 'accountant', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What each role may do (CONTRACT §2). */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: READ,
  clerk: CLERK,
  accountant: ACCOUNTANT,
  admin: ACCOUNTANT,
};

const isRole = (role: string): role is Role => Object.hasOwn(ROLE_SCOPES, role);

/**
 * The scopes a token carries: those of its scope claim, those of its role, or what both grant (CONTRACT §2).
 * An unknown role grants nothing; scopes match exactly.
 */
export const effectiveScopes = (scope: string | undefined, role: string | undefined): ReadonlySet<string> => {
  const claimed = scope === undefined ? undefined : scope.split(' ').filter(Boolean);
  if (role === undefined) return new Set(claimed);
  const granted: readonly string[] = isRole(role) ? ROLE_SCOPES[role] : [];
  return new Set(claimed ? granted.filter((one) => claimed.includes(one)) : granted);
};
