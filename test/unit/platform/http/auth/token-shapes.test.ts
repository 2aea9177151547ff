import { beforeAll, describe, expect, test } from '@jest/globals';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { identity } from '#shared/runtime/settings.ts';
import { createIssuer, type Issuer } from '#test/support/service/issuer.ts';

/* The claims of access tokens as issuers document them, shortened. docs/guides/02-authentication.md has the same settings. */

const NOW = 1_795_800_000;

let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});

type Settings = Readonly<Record<string, string>>;

const verify = async (environment: Settings, claims: object): Promise<Caller> => {
  const base = { ISSUER: 'https://issuer.example.com', AUDIENCE: 'invoicing', JWKS_URL: issuer.keys };
  const token = await issuer.sign({ iss: base.ISSUER, iat: NOW, exp: NOW + 60, ...claims });
  return createVerifier(identity({ ...base, ...environment }), ROLE_SCOPES)(token, NOW);
};

const URL_CLAIM = 'https://invoicing.example.com/account_id';

test.each<[issuer: string, settings: Settings, claims: object, caller: Partial<Caller>, scopes: readonly string[]]>([
  [
    'Cognito, a user',
    {
      AUDIENCE_CLAIM: 'client_id',
      SCOPE_PREFIX: 'invoicing/',
      ACCOUNT_CLAIM: 'custom:account_id',
      ROLE_CLAIM: 'cognito:groups',
    },
    {
      'cognito:groups': ['eu-central-1_aBcDeFgHi_Google', 'clerk'],
      client_id: 'invoicing',
      scope: 'openid invoicing/invoices:read invoicing/payments:write invoicing/refunds:write',
      'custom:account_id': 'acct_1',
    },
    { account: 'acct_1', role: 'clerk' },
    ['invoices:read', 'payments:write'],
  ],
  [
    'Auth0, with permissions (RBAC)',
    { ACCOUNT_CLAIM: URL_CLAIM, SCOPE_CLAIM: 'permissions,scope' },
    {
      [URL_CLAIM]: 'acct_1',
      aud: ['invoicing', 'https://example.eu.auth0.com/userinfo'],
      scope: 'openid profile invoices:write',
      permissions: ['invoices:read', 'customers:read'],
    },
    { account: 'acct_1', role: undefined },
    ['customers:read', 'invoices:read'],
  ],
  [
    'Entra ID, an application: app roles',
    { ACCOUNT_CLAIM: 'tid', SCOPE_CLAIM: 'scp,roles' },
    { aud: 'invoicing', roles: ['payments:write'], tid: '9122040d-6c67-4c5b-b112-36a304b66dad' },
    { account: '9122040d-6c67-4c5b-b112-36a304b66dad', role: undefined },
    ['payments:write'],
  ],
  [
    'Keycloak, with realm roles',
    { ACCOUNT_CLAIM: '/organization/id', ROLE_CLAIM: '/realm_access/roles', SCOPE_CLAIM: 'permissions' },
    {
      aud: ['invoicing', 'account'],
      realm_access: { roles: ['offline_access', 'uma_authorization', 'default-roles-example', 'viewer'] },
      scope: 'openid email profile',
      organization: { id: 'acct_1' },
    },
    { account: 'acct_1', role: 'viewer' },
    [...ROLE_SCOPES.viewer].sort(),
  ],
  [
    'Keycloak, with roles of the client as scopes',
    { SCOPE_CLAIM: '/resource_access/invoicing~1api/roles' },
    {
      aud: 'invoicing',
      account_id: 'acct_1',
      resource_access: { 'invoicing/api': { roles: ['invoices:read', 'uma_protection'] } },
      scope: 'profile email',
    },
    { account: 'acct_1', role: undefined },
    ['invoices:read', 'uma_protection'],
  ],
])('a token of %s: its account, role and scopes [CONTRACT §2]', async (_, settings, claims, caller, scopes) => {
  const { scopes: found, ...rest } = await verify(settings, { sub: 'user_1', ...claims });
  expect([rest, [...found].sort()]).toEqual([{ sub: 'user_1', ...caller, expires: NOW + 60 }, scopes]);
});

const USUAL = { aud: 'invoicing', sub: 'user_1', account_id: 'acct_1' };
const VIEWER = [...ROLE_SCOPES.viewer].sort();

test.each<[title: string, settings: Settings, claims: object, scopes: readonly string[]]>([
  ['an array with several in a string', {}, { scope: ['a b', 'c'] }, ['a', 'b', 'c']],
  ['an empty array', {}, { scope: [] }, []],
  ['the first claim of the token counts, also empty', { SCOPE_CLAIM: 'scp, scope' }, { scp: '', scope: 'a' }, []],
  ['a prefix, and scopes without it', { SCOPE_PREFIX: 'api/' }, { scope: 'api/a b api/ xapi/c' }, ['a']],
  ['a prefix and a role', { SCOPE_PREFIX: 'api/' }, { role: 'viewer' }, VIEWER],
  ['an array with one role twice', {}, { role: ['viewer', 'x', 'viewer'] }, VIEWER],
  ['an array with several roles', {}, { role: ['viewer', 'admin'] }, []],
  ['an array without a role, and a scope', {}, { role: ['x'], scope: 'invoices:read' }, []],
  ['a role in another case', {}, { role: 'Admin' }, []],
  ['roles in another case or with a space', {}, { role: ['ADMIN', 'admin '] }, []],
  ['a part of a scope, and a wildcard, with a role', {}, { scope: 'invoices:rea inv *', role: 'viewer' }, []],
  ['an empty array of roles', {}, { role: [], scope: 'invoices:read' }, []],
  ['a pointer through a text', { SCOPE_CLAIM: '/scope/length' }, { scope: 'a', role: 'viewer' }, VIEWER],
  ['the name of an inherited property', { SCOPE_CLAIM: 'constructor' }, { role: 'viewer' }, VIEWER],
])('scopes, %s: %j and %j grant %j [CONTRACT §2]', async (_, settings, claims, scopes) => {
  expect([...(await verify(settings, { ...USUAL, ...claims })).scopes].sort()).toEqual(scopes);
});

const detailOf = (settings: Settings, claims: object): Promise<unknown> =>
  verify(settings, { ...USUAL, ...claims }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof ProblemError ? [error.code, error.details.detail] : error),
  );

describe('refusals', () => {
  test.each<[title: string, settings: Settings, claims: object, detail: string]>([
    ['no issuer', {}, { iss: undefined }, 'The claim iss of the access token must be "https://issuer.example.com".'],
    [
      'another client',
      { AUDIENCE_CLAIM: 'client_id' },
      { client_id: 'x' },
      'The claim client_id of the access token must be "invoicing".',
    ],
    ['no expiry', {}, { exp: undefined }, 'The access token has no claim exp.'],
    ['no account', { ACCOUNT_CLAIM: '/org/id' }, { org: {} }, 'The access token has no claim /org/id.'],
  ])('%s: 401, and detail says what the token must have [CONTRACT §2]', async (_, settings, claims, detail) => {
    expect(await detailOf(settings, claims)).toEqual(['unauthenticated', detail]);
  });

  test('neither a scope nor a role: the caller has the names of the claims that the token lacks [CONTRACT §2]', async () => {
    const { missingClaims } = await verify({ SCOPE_CLAIM: 'scp,roles' }, USUAL);
    expect(missingClaims).toEqual(['scp', 'roles', 'role']);
  });

  test.each(['/a~2', '/a/b~', 'scope,'])('SCOPE_CLAIM=%s: refused at the start [CONTRACT §12]', (SCOPE_CLAIM) => {
    const settings = { ISSUER: 'i', AUDIENCE: 'a', JWKS_URL: issuer.keys, SCOPE_CLAIM };
    expect(() => identity(settings)).toThrow(/^SCOPE_CLAIM must be /);
  });
});
