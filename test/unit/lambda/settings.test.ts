import { describe, expect, test } from '@jest/globals';
import createPayment from '#functions/payments/create.ts';
import { contextKeys, settingsOf as stageSettingsOf } from '#infra/settings/settings.ts';
import { fillEnvironment } from '#local/environment.ts';
import { lambda } from '#shared/lambda/runtime.ts';
import { settingsOf } from '#shared/lambda/settings.ts';
import { deploy } from '#test/infra/deployment.ts';

const WHOLE = {
  ISSUER: 'https://id.test/',
  AUDIENCE: 'invoicing',
  JWKS_URL: 'https://id.test/jwks',
  INVOICES_TABLE: 'invoices',
  PAYMENTS_TABLE: 'payments',
  OUTBOX_TABLE: 'outbox',
  IDEMPOTENCY_TABLE: 'idempotency',
};

/** The settings that are numbers, with the largest value of each. */
const RANGES = {
  IDEMPOTENCY_TTL_HOURS: 87_600,
  CLERK_PAYMENT_LIMIT_CENTS: 999_999_999_999,
  REFUND_WINDOW_DAYS: 36_500,
};

/** Creates a handler, as a Lambda does at a cold start. */
const start = (more: Record<string, string>) => () => lambda(createPayment, { environment: { ...WHOLE, ...more } });

describe('the environment at a cold start [CONTRACT §12]', () => {
  test('valid values: a handler', () => {
    expect(start({})).not.toThrow();
    for (const [name, max] of Object.entries(RANGES)) {
      for (const value of ['', '1', String(max)]) expect(start({ [name]: value })).not.toThrow();
    }
    expect(start({ V1_DEPRECATION: '2027-01-31', V1_SUNSET: '2027-01-31T00:00:00Z', CORS_ORIGINS: '*' })).not.toThrow();
  });

  test.each([
    ...Object.keys(WHOLE).map((name) => [
      { [name]: '' },
      `${name} must be ${name === 'JWKS_URL' ? 'a URL (https, http, data)' : 'a non-empty text'}, but is not set.`,
    ]),
    [{ JWKS_URL: 'id.test/jwks' }, 'JWKS_URL must be a URL (https, http, data), not "id.test/jwks".'],
    [{ JWKS_URL: 'file:///jwks' }, 'JWKS_URL must be a URL (https, http, data), not "file:///jwks".'],
    ...Object.entries(RANGES).flatMap(([name, max]) =>
      ['0', '-1', '1.5', '1e3', '0x10', ' 1', 'long', String(max + 1)].map((value) => [
        { [name]: value },
        `${name} must be an integer from 1 to ${max}, not ${JSON.stringify(value)}.`,
      ]),
    ),
    [
      { CORS_ORIGINS: 'https://a.test, b.test' },
      'CORS_ORIGINS must be *, or origins such as https://app.example.com, not "https://a.test, b.test".',
    ],
    [
      { CORS_ORIGINS: 'https://a.test/' },
      'CORS_ORIGINS must be *, or origins such as https://app.example.com, not "https://a.test/".',
    ],
    [
      { V1_DEPRECATION: '2027-02-30' },
      'V1_DEPRECATION must be a date such as 2027-06-30 or 2027-06-30T12:00:00Z, not "2027-02-30".',
    ],
    [
      { V2_SUNSET: '@1735689600' },
      'V2_SUNSET must be a date such as 2027-06-30 or 2027-06-30T12:00:00Z, not "@1735689600".',
    ],
    [
      { V1_DEPRECATION: '2027-01-31', V1_SUNSET: '2027-01-30' },
      'V1_SUNSET must be no earlier than V1_DEPRECATION, not "2027-01-30".',
    ],
  ] as [Record<string, string>, string][])('%j: an error that names the variable', (more, message) => {
    expect(start(more)).toThrow(new Error(message));
  });
});

/** The variables that the service reads as settings. */
const names = (): string[] => {
  const read = new Set<string>();
  settingsOf(
    new Proxy({ ...WHOLE } as Record<string, string>, {
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
  ACCOUNT_CLAIM: '',
  AUDIENCE: '',
  CLERK_PAYMENT_LIMIT_CENTS: '-1',
  CORS_ORIGINS: 'a.test',
  IDEMPOTENCY_TTL_HOURS: '0',
  ISSUER: '',
  JWKS_URL: 'ftp://id.test/',
  REFUND_WINDOW_DAYS: '0',
  ROLE_CLAIM: '',
  SCOPE_CLAIM: '',
  V1_DEPRECATION: 'soon',
  V1_SUNSET: 'soon',
  V2_DEPRECATION: 'soon',
  V2_SUNSET: 'soon',
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
      expect(start({ [name]: value })).toThrow(expected);
      expect(() => fillEnvironment({ ...WHOLE, [name]: value }, 'http://127.0.0.1:3000')).toThrow(expected);
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
    const announced = { v1Deprecation: '2027-01-01', v1Sunset: '2028-01-01' };
    const { functions } = deploy({ ...announced, v2Deprecation: '2027-01-01', v2Sunset: '2028-01-01' });
    const given = Object.values(functions).flatMap(({ Properties }) =>
      Object.keys(Properties['Environment'].Variables),
    );
    expect(given).toEqual(expect.arrayContaining(deployedNames()));
    expect(given.filter((name) => LOCAL.includes(name))).toEqual([]);
  });

  test('every setting: has a key of the CDK context', () => {
    for (const name of deployedNames()) expect(contextKeys).toContain(contextKey(name));
  });
});
