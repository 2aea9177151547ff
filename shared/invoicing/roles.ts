import { type Noun, resources } from './index.ts';

export type Scope = `${Noun}:${'read' | 'write'}`;

/** What scopes begin with, each once. */
export const NOUNS = [...new Set(Object.values(resources).map(({ scope }) => scope))];
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
