import { expect, test } from '@jest/globals';
import { NOUNS, ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { claimedScopes, effectiveScopes } from '#shared/platform/http/auth/scopes.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

const ROLES = ['viewer', 'clerk', 'accountant', 'admin'] as const;
const ALL: readonly string[] = ROLE_SCOPES.admin;

const effective = (scope: string | undefined, role: string | undefined): string =>
  [...effectiveScopes(scope === undefined ? undefined : claimedScopes([scope], ''), role, ROLE_SCOPES)]
    .sort()
    .join(' ');

test('a role and no scope: the role’s scopes [CONTRACT §2]', () => {
  for (const role of ROLES) expect(effective(undefined, role)).toBe([...ROLE_SCOPES[role]].sort().join(' '));
});

test.each<[scope: string, least: (typeof ROLES)[number]]>([
  ['customers:write', 'clerk'],
  ['invoices:write', 'clerk'],
  ['payments:write', 'clerk'],
  ['refunds:write', 'accountant'],
  ['exports:write', 'accountant'],
])('%s: granted to %s and every role above, to no role below [CONTRACT §2]', (scope, least) => {
  const granted = ROLES.filter((role) => (ROLE_SCOPES[role] as readonly string[]).includes(scope));
  expect(granted).toEqual(ROLES.slice(ROLES.indexOf(least)));
});

test('a viewer: the read scope of every resource; the admin: every scope; events cannot be written [CONTRACT §2, §14]', () => {
  expect([...ROLE_SCOPES.viewer].sort()).toEqual(NOUNS.map((noun) => `${noun}:read`).sort());
  expect([...ALL].sort()).toEqual(
    NOUNS.flatMap((noun) => (noun === 'events' ? ['events:read'] : [`${noun}:read`, `${noun}:write`])).sort(),
  );
});

test('neither scope nor role: no scopes [CONTRACT §2]', () => {
  expect(effective(undefined, undefined)).toBe('');
});

const scopes = fc
  .array(
    fc.constantFrom(
      ...ALL,
      ...INHERITED,
      'invoices:*',
      '*',
      'invoices',
      'Invoices:read',
      'invoices:readx',
      'openid',
      '',
    ),
  )
  .map((names) => names.join(' '));

test('a scope and no role: the scopes of the claim [CONTRACT §2]', () => {
  fc.assert(
    fc.property(scopes, (scope) => {
      const named = new Set(scope.split(' ').filter((name) => name !== ''));
      expect(effectiveScopes(claimedScopes([scope], ''), undefined, ROLE_SCOPES)).toEqual(named);
    }),
  );
});

test('a scope and a role: their intersection, by exact match [CONTRACT §2]', () => {
  fc.assert(
    fc.property(scopes, fc.constantFrom(...ROLES), (scope, role) => {
      const named = scope.split(' ');
      const both = ROLE_SCOPES[role].toSorted().filter((one) => named.includes(one));
      expect(effective(scope, role)).toBe(both.join(' '));
    }),
  );
});

test('an unknown role, with or without a scope: no scopes [CONTRACT §2]', () => {
  const role = fc.oneof(
    fc.constantFrom(...INHERITED, '', 'Admin', 'admin ', 'ADMIN', 'admin clerk', 'admin,clerk', 'owner'),
    fc.string(),
  );
  fc.assert(
    fc.property(role, fc.option(scopes, { nil: undefined }), (unknown, scope) => {
      fc.pre(!(ROLES as readonly string[]).includes(unknown));
      expect(effective(scope, unknown)).toBe('');
    }),
  );
});
