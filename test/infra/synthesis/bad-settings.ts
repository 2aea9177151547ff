import { describe, expect, test } from '@jest/globals';
import createPayment from '#functions/payments/create.ts';
import { contextKeys, settingsOf as stageSettingsOf } from '#infra/settings/settings.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { fillEnvironment } from '#local/environment.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { settingsOf } from '#shared/runtime/settings.ts';
import { limited } from './stages.ts';

const IDENTITY = { ISSUER: 'https://id.test/', AUDIENCE: 'invoicing', JWKS_URL: 'https://id.test/jwks' };
const TABLES = tableVariables();

/** The variables that the service reads as settings. */
const names = (): string[] => {
  const read = new Set<string>();
  settingsOf(
    new Proxy({ ...IDENTITY } as Record<string, string>, {
      get: (target, name: string) => {
        read.add(name);
        return target[name];
      },
    }),
  );
  return [...read].sort();
};

/** `CLERK_PAYMENT_LIMIT_CENTS` as CDK's context spells it. */
const contextKey = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const BAD: Readonly<Record<string, string>> = {
  ACCOUNT_CLAIM: '/a~2',
  AUDIENCE: '',
  AUDIENCE_CLAIM: '/a~2',
  CLERK_PAYMENT_LIMIT_CENTS: '-1',
  CORS_ORIGINS: 'a.test',
  IDEMPOTENCY_TTL_HOURS: '0',
  ISSUER: '',
  JWKS_URL: 'ftp://id.test/',
  RATE_LIMIT_PER_SECOND: '-1',
  REFUND_WINDOW_DAYS: '0',
  ROLE_CLAIM: '/a~2',
  SCOPE_CLAIM: 'scope,',
  SCOPE_PREFIX: '',
  V1_DEPRECATION: 'soon',
  V1_SUNSET: 'soon',
  V2_DEPRECATION: 'soon',
  V2_SUNSET: 'soon',
  VOID_WINDOW_HOURS: '0',
  WEBHOOK_ALLOW_LOCAL: 'yes',
};

/** Set only by the local server (CONTRACT §15). */
const LOCAL = ['WEBHOOK_ALLOW_LOCAL'];
const deployedNames = () => names().filter((name) => !LOCAL.includes(name));

describe('a bad setting: refused by a cold start, npm start and synthesis [CONTRACT §12]', () => {
  test('the table of bad values: names every setting', () => {
    expect(names()).toEqual(Object.keys(BAD));
  });

  test.each(Object.entries(BAD).filter(([, value]) => value))(
    '%s=%s: refused by all three that read it',
    (name, value) => {
      const expected = new RegExp(`^${name} must be [^\n]*$`);
      expect(() => lambda(createPayment, { environment: { ...IDENTITY, ...TABLES, [name]: value } })).toThrow(expected);
      expect(() => fillEnvironment({ ...IDENTITY, [name]: value }, 'http://127.0.0.1:3000')).toThrow(expected);
      if (LOCAL.includes(name)) return;
      const context: Record<string, string> = {
        ...{ issuer: 'https://id.test/', audience: 'invoicing', jwksUrl: 'https://id.test/jwks' },
        [contextKey(name)]: value,
      };
      const read = () => stageSettingsOf((key) => context[key], Object.keys(context));
      expect(read).toThrow(new RegExp(`^-c ${contextKey(name)} must be [^\n]*$`));
    },
  );

  test('every setting: a variable of the deployed functions, except those of the local server', () => {
    const given = Object.values(limited.functions).flatMap(({ Properties }) =>
      Object.keys(Properties['Environment'].Variables),
    );
    expect(given).toEqual(expect.arrayContaining(deployedNames()));
    expect(given.filter((name) => LOCAL.includes(name))).toEqual([]);
  });

  test('every setting: has a key of the CDK context', () => {
    for (const name of deployedNames()) expect(contextKeys).toContain(contextKey(name));
  });
});
