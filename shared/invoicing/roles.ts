import type { Scope } from '#shared/vocabulary.ts';
import { resources } from './index.ts';

const ENTRIES = Object.values(resources);

export const NOUNS = [...new Set(ENTRIES.map(({ scope }) => scope))];
const READ: readonly Scope[] = NOUNS.map((noun) => `${noun}:read` as const);

/** The scopes that no lesser role has. */
export const writeScopesOf = (role: Role): readonly Scope[] => {
  const nouns = ENTRIES.flatMap((entry) => ('writer' in entry && entry.writer === role ? [entry.scope] : []));
  return [...new Set(nouns)].map((noun) => `${noun}:write` as const);
};

const CLERK = [...READ, ...writeScopesOf('clerk')];
const ACCOUNTANT = [...CLERK, ...writeScopesOf('accountant')];
const ADMIN = [...ACCOUNTANT, ...writeScopesOf('admin')];

export const ROLES = ['viewer', 'clerk', 'accountant', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** CONTRACT §2. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: READ,
  clerk: CLERK,
  accountant: ACCOUNTANT,
  admin: ADMIN,
};
