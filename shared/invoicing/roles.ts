import { type Noun, resources } from './index.ts';

export type Scope = `${Noun}:${'read' | 'write'}`;

export const NOUNS = [...new Set(Object.values(resources).map(({ scope }) => scope))];
const READ: readonly Scope[] = NOUNS.map((noun) => `${noun}:read` as const);

const writeScopesOf = (role: 'clerk' | 'accountant'): readonly Scope[] => {
  const nouns = Object.values(resources).flatMap(({ scope, writer }) => (writer === role ? [scope] : []));
  return [...new Set(nouns)].map((noun) => `${noun}:write` as const);
};

const CLERK = [...READ, ...writeScopesOf('clerk')];
const ACCOUNTANT = [...CLERK, ...writeScopesOf('accountant')];

export const ROLES = ['viewer', 'clerk', 'accountant', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** CONTRACT §2. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: READ,
  clerk: CLERK,
  accountant: ACCOUNTANT,
  admin: ACCOUNTANT,
};
