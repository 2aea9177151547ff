import type { FaultsByFile } from './fault.ts';

export const access: FaultsByFile = {
  'shared/platform/http/auth/access-token.ts': [
    ['an expired token is accepted', 'currentDate: new Date(now * 1000)', 'currentDate: new Date(0)'],
    ['a token for another audience is accepted', '      audience,\n', ''],
    ['a token of another issuer is accepted', '      issuer,\n      audience', '      audience'],
    ['a token without an expiry is accepted', "requiredClaims: ['exp']", 'requiredClaims: []'],
    ['a token without a subject is accepted', 'const Subject = text({ min: 1 });', 'const Subject = text();'],
    ['an account with other characters is accepted', '/^[A-Za-z0-9_-]{1,64}$/', '/^.{1,64}$/'],
    ['a scope that is no string is ignored', "value === undefined || typeof value === 'string'", 'true'],
  ],
  'shared/platform/http/auth/scopes.ts': [
    ['scope and role are united', 'granted.filter((name) => claimed.includes(name))', '[...granted, ...claimed]'],
    [
      'an unknown role keeps the scopes',
      '(Object.hasOwn(roles, role) && roles[role]) || []',
      'roles[role] ?? claimed ?? []',
    ],
  ],
  'shared/platform/http/pipeline/steps/authenticate.ts': [
    ['anything may follow the token', '=*)$/i', '=*)/i'],
    ['the challenge names no error', '\', error="invalid_token"\'', "''"],
    ['a scope is not required', 'if ((caller as Caller).scopes.has(scope)) return;', 'if (scope) return;'],
    ['the challenge names no scope', ', scope="${scope}"`', '`'],
  ],
  'shared/platform/http/pipeline/serve.ts': [
    [
      'the body is read before the token',
      '  authenticate,\n  authorize,\n  contentEncoding,\n  readBody,\n  parseJson,',
      '  contentEncoding,\n  readBody,\n  parseJson,\n  authenticate,\n  authorize,',
    ],
  ],
  'shared/platform/http/pipeline/steps/parse-query.ts': [
    ['expand needs no scope', 'if (expanded.includes(name)) requireScope(event, scope);', ''],
  ],
  'shared/platform/http/pipeline/expand.ts': [
    [
      'expand of events needs no scope',
      "for (const resource of byResource.keys()) requireScope(`${resource.scope}:read` as Product['scope']);",
      '',
    ],
    ['an expanded member does not count in the tag', 'version: member?.version ?? 0', 'version: 1'],
  ],
  'shared/invoicing/roles.ts': [
    ['a clerk may do what an accountant may', 'clerk: CLERK', 'clerk: ACCOUNTANT'],
    ['a viewer lacks a scope', 'viewer: READ,', 'viewer: READ.slice(1),'],
  ],
  'shared/invoicing/policy.ts': [
    [
      'a clerk may not create a payment of exactly the limit',
      'amount_cents > clerkPaymentLimitCents',
      'amount_cents >= clerkPaymentLimitCents',
    ],
    ['an accountant may refund an own payment', "role === 'accountant') && sub", "role === 'admin') && sub"],
    ['a machine client is treated as a clerk', "role === 'clerk' && amount_cents", "role !== 'admin' && amount_cents"],
  ],
  'functions/exports/create.ts': [
    ['an export needs no scope for its type', '    requireScope(`${exportedEntry(terms.type).scope}:read`);\n', ''],
  ],
  'functions/exports/get-file.ts': [
    ['a file needs no scope for its type', '    requireScope(`${exportedEntry(job.type).scope}:read`);\n', ''],
  ],
  'functions/invoices/update.ts': [
    [
      'a clerk may settle any invoice',
      "    permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, requested) } });\n",
      '',
    ],
  ],
};
