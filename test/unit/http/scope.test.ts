import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { effectiveScopes } from '#shared/platform/http/auth/scopes.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

/** CONTRACT §2, Roles, as a table. */
const GRANTED: Readonly<Record<string, string>> = {
  viewer: 'customers:read exports:read invoices:read payments:read refunds:read',
  clerk:
    'customers:read customers:write exports:read invoices:read invoices:write payments:read payments:write refunds:read',
  accountant:
    'customers:read customers:write exports:read exports:write invoices:read invoices:write payments:read payments:write refunds:read refunds:write',
  admin:
    'customers:read customers:write exports:read exports:write invoices:read invoices:write payments:read payments:write refunds:read refunds:write',
};
const ALL = (GRANTED['admin'] as string).split(' ');

const effective = (scope: string | undefined, role: string | undefined): string =>
  [...effectiveScopes(scope, role, ROLE_SCOPES)].sort().join(' ');

test.each(Object.keys(GRANTED))('CONTRACT §2: role alone → the role’s scopes: %s', (role) => {
  expect(effective(undefined, role)).toBe(GRANTED[role]);
});

test('CONTRACT §2: neither scope nor role → none', () => {
  expect(effective(undefined, undefined)).toBe('');
});

const scopes = fc
  .array(fc.constantFrom(...ALL, 'invoices:*', '*', 'invoices', 'Invoices:read', 'invoices:readx', 'openid', ''))
  .map((names) => names.join(' '));

test('CONTRACT §2: scope alone → those scopes', () => {
  fc.assert(
    fc.property(scopes, (scope) => {
      const named = new Set(scope.split(' ').filter((name) => name !== ''));
      expect(effectiveScopes(scope, undefined, ROLE_SCOPES)).toEqual(named);
    }),
  );
});

test('CONTRACT §2: both → the intersection; scopes match exactly, with no wildcards or prefixes', () => {
  fc.assert(
    fc.property(scopes, fc.constantFrom(...Object.keys(GRANTED)), (scope, role) => {
      const named = scope.split(' ');
      const both = (GRANTED[role] as string).split(' ').filter((one) => named.includes(one));
      expect(effective(scope, role)).toBe(both.join(' '));
    }),
  );
});

test('CONTRACT §2: an unknown role grants nothing, with and without scopes', () => {
  const role = fc.oneof(
    fc.constantFrom(...INHERITED, '', 'Admin', 'admin ', 'ADMIN', 'admin clerk', 'admin,clerk', 'owner'),
    fc.string(),
  );
  fc.assert(
    fc.property(role, fc.option(scopes, { nil: undefined }), (unknown, scope) => {
      fc.pre(!Object.keys(GRANTED).includes(unknown));
      expect(effective(scope, unknown)).toBe('');
    }),
  );
});

test('CONTRACT §2: what a token may do grows with neither of its claims beyond the other', () => {
  const role = fc.constantFrom(...Object.keys(GRANTED));
  fc.assert(
    fc.property(scopes, role, (scope, one) => {
      const both = [...effectiveScopes(scope, one, ROLE_SCOPES)];
      const alone = [effectiveScopes(scope, undefined, ROLE_SCOPES), effectiveScopes(undefined, one, ROLE_SCOPES)];
      expect(both.every((name) => alone.every((set) => set.has(name)))).toBe(true);
    }),
  );
});

test('CONTRACT §2: an inherited name is no scope', () => {
  for (const name of INHERITED) {
    expect(effectiveScopes(undefined, 'admin', ROLE_SCOPES).has(name)).toBe(false);
    expect(effective(name, 'admin')).toBe('');
  }
});
