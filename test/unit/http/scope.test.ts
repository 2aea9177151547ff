import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { effectiveScopes } from '#shared/platform/http/auth/scopes.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

/** The scopes of each role (CONTRACT §2). */
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

test.each(Object.keys(GRANTED))('the role %s and no scope: the role’s scopes [CONTRACT §2]', (role) => {
  expect(effective(undefined, role)).toBe(GRANTED[role]);
});

test('neither scope nor role: no scopes [CONTRACT §2]', () => {
  expect(effective(undefined, undefined)).toBe('');
});

const scopes = fc
  .array(fc.constantFrom(...ALL, 'invoices:*', '*', 'invoices', 'Invoices:read', 'invoices:readx', 'openid', ''))
  .map((names) => names.join(' '));

test('a scope and no role: those scopes [CONTRACT §2]', () => {
  fc.assert(
    fc.property(scopes, (scope) => {
      const named = new Set(scope.split(' ').filter((name) => name !== ''));
      expect(effectiveScopes(scope, undefined, ROLE_SCOPES)).toEqual(named);
    }),
  );
});

test('a scope and a role: their intersection, by exact match [CONTRACT §2]', () => {
  fc.assert(
    fc.property(scopes, fc.constantFrom(...Object.keys(GRANTED)), (scope, role) => {
      const named = scope.split(' ');
      const both = (GRANTED[role] as string).split(' ').filter((one) => named.includes(one));
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
      fc.pre(!Object.keys(GRANTED).includes(unknown));
      expect(effective(scope, unknown)).toBe('');
    }),
  );
});

test('a scope and a role: no scope that one of them alone does not give [CONTRACT §2]', () => {
  const role = fc.constantFrom(...Object.keys(GRANTED));
  fc.assert(
    fc.property(scopes, role, (scope, one) => {
      const both = [...effectiveScopes(scope, one, ROLE_SCOPES)];
      const alone = [effectiveScopes(scope, undefined, ROLE_SCOPES), effectiveScopes(undefined, one, ROLE_SCOPES)];
      expect(both.every((name) => alone.every((set) => set.has(name)))).toBe(true);
    }),
  );
});

test('the name of an inherited property: no scope [CONTRACT §2]', () => {
  for (const name of INHERITED) {
    expect(effectiveScopes(undefined, 'admin', ROLE_SCOPES).has(name)).toBe(false);
    expect(effective(name, 'admin')).toBe('');
  }
});
