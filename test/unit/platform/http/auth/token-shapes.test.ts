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

const verify = async (
  environment: Readonly<Record<string, string>>,
  claims: object,
  header: object = {},
): Promise<Caller> => {
  const settings = {
    ISSUER: 'https://issuer.example.com',
    AUDIENCE: 'invoicing',
    JWKS_URL: issuer.keys,
    ...environment,
  };
  const token = await issuer.sign({ iss: settings.ISSUER, iat: NOW, exp: NOW + 60, ...claims }, header);
  return createVerifier(identity(settings), ROLE_SCOPES)(token, NOW);
};

interface Shape {
  readonly title: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly claims: object;
  readonly caller: Pick<Caller, 'sub' | 'account' | 'role'>;
  readonly scopes: readonly string[];
}

const COGNITO = {
  ISSUER: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_aBcDeFgHi',
  AUDIENCE: '2q8ghbkl9i2rr6cg1n8epcgb1f',
  AUDIENCE_CLAIM: 'client_id',
  SCOPE_PREFIX: 'invoicing/',
};

const SHAPES: readonly Shape[] = [
  {
    title: 'Cognito, a user',
    settings: { ...COGNITO, ACCOUNT_CLAIM: 'custom:account_id', ROLE_CLAIM: 'cognito:groups' },
    claims: {
      sub: '83b4c8d2-90a1-70aa-7d7e-0d3c2b5f0001',
      'cognito:groups': ['eu-central-1_aBcDeFgHi_Google', 'clerk'],
      client_id: COGNITO.AUDIENCE,
      token_use: 'access',
      scope: 'openid invoicing/invoices:read invoicing/payments:write invoicing/refunds:write',
      'custom:account_id': 'acct_1',
    },
    caller: { sub: '83b4c8d2-90a1-70aa-7d7e-0d3c2b5f0001', account: 'acct_1', role: 'clerk' },
    scopes: ['invoices:read', 'payments:write'],
  },
  {
    title: 'Cognito, client credentials: the client is the account',
    settings: { ...COGNITO, ACCOUNT_CLAIM: 'client_id' },
    claims: {
      sub: COGNITO.AUDIENCE,
      client_id: COGNITO.AUDIENCE,
      token_use: 'access',
      scope: 'invoicing/invoices:read',
    },
    caller: { sub: COGNITO.AUDIENCE, account: COGNITO.AUDIENCE, role: undefined },
    scopes: ['invoices:read'],
  },
  {
    title: 'Auth0, with permissions (RBAC)',
    settings: {
      ISSUER: 'https://example.eu.auth0.com/',
      AUDIENCE: 'https://invoicing.example.com',
      ACCOUNT_CLAIM: 'https://invoicing.example.com/account_id',
      SCOPE_CLAIM: 'permissions,scope',
    },
    claims: {
      'https://invoicing.example.com/account_id': 'acct_1',
      sub: 'auth0|65f1c0ffee',
      aud: ['https://invoicing.example.com', 'https://example.eu.auth0.com/userinfo'],
      azp: 'bX3ZgkRk',
      scope: 'openid profile invoices:write',
      permissions: ['invoices:read', 'customers:read'],
    },
    caller: { sub: 'auth0|65f1c0ffee', account: 'acct_1', role: undefined },
    scopes: ['customers:read', 'invoices:read'],
  },
  {
    title: 'Okta',
    settings: { ISSUER: 'https://example.okta.com/oauth2/default', AUDIENCE: 'api://default', SCOPE_CLAIM: 'scp' },
    claims: {
      ver: 1,
      aud: 'api://default',
      cid: '0oa1b2c3',
      uid: '00u1b2c3',
      scp: ['invoices:read', 'events:read'],
      sub: 'ada@example.com',
      account_id: 'acct_1',
    },
    caller: { sub: 'ada@example.com', account: 'acct_1', role: undefined },
    scopes: ['events:read', 'invoices:read'],
  },
  {
    title: 'Entra ID, a user: scopes',
    settings: { ACCOUNT_CLAIM: 'tid', SCOPE_CLAIM: 'scp,roles' },
    claims: {
      aud: 'invoicing',
      azp: '7c1f0e2a-5f1d-4f6e-9d8b-0d3c2b5f0002',
      scp: 'invoices:read invoices:write',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
      ver: '2.0',
    },
    caller: {
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      account: '9122040d-6c67-4c5b-b112-36a304b66dad',
      role: undefined,
    },
    scopes: ['invoices:read', 'invoices:write'],
  },
  {
    title: 'Entra ID, an application: app roles',
    settings: { ACCOUNT_CLAIM: 'tid', SCOPE_CLAIM: 'scp,roles' },
    claims: {
      aud: 'invoicing',
      azp: '7c1f0e2a-5f1d-4f6e-9d8b-0d3c2b5f0002',
      roles: ['payments:write'],
      sub: '5f0e2a7c-1f0e-4f6e-9d8b-0d3c2b5f0003',
      tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
    },
    caller: {
      sub: '5f0e2a7c-1f0e-4f6e-9d8b-0d3c2b5f0003',
      account: '9122040d-6c67-4c5b-b112-36a304b66dad',
      role: undefined,
    },
    scopes: ['payments:write'],
  },
  {
    title: 'Keycloak, with realm roles',
    settings: { ACCOUNT_CLAIM: '/organization/id', ROLE_CLAIM: '/realm_access/roles', SCOPE_CLAIM: 'permissions' },
    claims: {
      typ: 'Bearer',
      aud: ['invoicing', 'account'],
      sub: 'f1b7a9c0-3d1e-4a51-8d0e-0d3c2b5f0004',
      azp: 'web',
      realm_access: { roles: ['offline_access', 'uma_authorization', 'default-roles-example', 'viewer'] },
      resource_access: { account: { roles: ['manage-account'] } },
      scope: 'openid email profile',
      organization: { id: 'acct_1' },
    },
    caller: { sub: 'f1b7a9c0-3d1e-4a51-8d0e-0d3c2b5f0004', account: 'acct_1', role: 'viewer' },
    scopes: [...ROLE_SCOPES.viewer].sort(),
  },
  {
    title: 'Keycloak, with roles of the client as scopes',
    settings: { SCOPE_CLAIM: '/resource_access/invoicing~1api/roles' },
    claims: {
      aud: 'invoicing',
      sub: 'service-account-erp',
      account_id: 'acct_1',
      resource_access: { 'invoicing/api': { roles: ['invoices:read', 'uma_protection'] } },
      scope: 'profile email',
    },
    caller: { sub: 'service-account-erp', account: 'acct_1', role: undefined },
    scopes: ['invoices:read', 'uma_protection'],
  },
];

test.each(SHAPES)(
  'a token of $title: its account, role and scopes [CONTRACT §2]',
  async ({ settings, claims, caller, scopes }) => {
    const { scopes: found, ...rest } = await verify(settings, claims);
    expect([rest, [...found].sort()]).toEqual([{ ...caller, expires: NOW + 60 }, scopes]);
  },
);

const USUAL = { aud: 'invoicing', sub: 'user_1', account_id: 'acct_1' };
const scopesOf = async (settings: Readonly<Record<string, string>>, claims: object): Promise<string[]> =>
  [...(await verify(settings, { ...USUAL, ...claims })).scopes].sort();

describe('scopes', () => {
  test.each<[title: string, settings: Readonly<Record<string, string>>, claims: object, scopes: readonly string[]]>([
    [
      'an array whose strings hold several',
      {},
      { scope: ['invoices:read events:read', 'refunds:read'] },
      ['events:read', 'invoices:read', 'refunds:read'],
    ],
    ['an empty array', {}, { scope: [] }, []],
    [
      'the first claim that the token has counts, also when it is empty',
      { SCOPE_CLAIM: 'scp, scope' },
      { scp: '', scope: 'invoices:read' },
      [],
    ],
    [
      'a prefix, and scopes without it',
      { SCOPE_PREFIX: 'api/' },
      { scope: 'api/invoices:read events:read api/ xapi/refunds:read' },
      ['invoices:read'],
    ],
    [
      'a prefix and a role: the role’s scopes',
      { SCOPE_PREFIX: 'api/' },
      { role: 'viewer' },
      [...ROLE_SCOPES.viewer].sort(),
    ],
    ['an array with one role', {}, { role: ['viewer'] }, [...ROLE_SCOPES.viewer].sort()],
    ['an array with one role twice', {}, { role: ['viewer', 'x', 'viewer'] }, [...ROLE_SCOPES.viewer].sort()],
    ['an array with several roles: an unknown role', {}, { role: ['viewer', 'admin'] }, []],
    ['an array without a role: an unknown role, also beside a scope', {}, { role: ['x'], scope: 'invoices:read' }, []],
    ['an empty array of roles: an unknown role', {}, { role: [], scope: 'invoices:read' }, []],
    [
      'a pointer through a text: no claim',
      { SCOPE_CLAIM: '/scope/length' },
      { scope: 'invoices:read', role: 'viewer' },
      [...ROLE_SCOPES.viewer].sort(),
    ],
    [
      'the name of an inherited property: no claim',
      { SCOPE_CLAIM: 'constructor' },
      { role: 'viewer' },
      [...ROLE_SCOPES.viewer].sort(),
    ],
  ])('%s [CONTRACT §2]', async (_, settings, claims, scopes) => {
    expect(await scopesOf(settings, claims)).toEqual(scopes);
  });
});

const detailOf = (settings: Readonly<Record<string, string>>, claims: object): Promise<unknown> =>
  verify(settings, { ...USUAL, ...claims }).then(
    () => 'accepted',
    (error: unknown) => (error instanceof ProblemError ? [error.code, error.details.detail] : error),
  );

describe('refusals', () => {
  test.each<[title: string, settings: Readonly<Record<string, string>>, claims: object, detail: string]>([
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
