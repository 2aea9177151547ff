import { expect, test } from '@jest/globals';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { claimedScopes, effectiveScopes } from '#shared/platform/http/auth/scopes.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

const ROLES = ['viewer', 'clerk', 'accountant', 'admin'] as const;

const effective = (scope: string | undefined, role: string | undefined): string =>
  [...effectiveScopes(scope === undefined ? undefined : claimedScopes([scope], ''), role, ROLE_SCOPES)]
    .sort()
    .join(' ');

const scopes = fc
  .array(
    fc.constantFrom(
      ...ROLE_SCOPES.admin,
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
