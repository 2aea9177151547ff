import { describe, expect, test } from '@jest/globals';
import createPayment from '#functions/payments/create.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';

const WHOLE = {
  ISSUER: 'https://id.test/',
  AUDIENCE: 'invoicing',
  JWKS_URL: 'https://id.test/jwks',
  INVOICES_TABLE: 'invoices',
  PAYMENTS_TABLE: 'payments',
  OUTBOX_TABLE: 'outbox',
  IDEMPOTENCY_TABLE: 'idempotency',
  UNIQUE_VALUES_TABLE: 'uniqueValues',
  LIMITS_TABLE: 'limits',
};

/** The settings that are numbers, with the largest value of each. */
const RANGES = {
  IDEMPOTENCY_TTL_HOURS: 87_600,
  CLERK_PAYMENT_LIMIT_CENTS: 999_999_999_999,
  REFUND_WINDOW_DAYS: 36_500,
};

const DATE = 'must be a date such as 2027-06-30 or 2027-06-30T12:00:00Z';

/** Creates a handler, as a Lambda does at a cold start. */
const start = (more: Record<string, string>) => () => lambda(createPayment, { environment: { ...WHOLE, ...more } });

describe('the environment at a cold start [CONTRACT §12]', () => {
  test('valid values: a handler', () => {
    expect(start({})).not.toThrow();
    for (const [name, max] of Object.entries(RANGES)) {
      for (const value of ['', '1', String(max)]) expect(start({ [name]: value })).not.toThrow();
    }
    for (const value of ['', '0', '100000']) expect(start({ RATE_LIMIT_PER_SECOND: value })).not.toThrow();
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
    ...['-1', '00', '1.5', '100001'].map((value) => [
      { RATE_LIMIT_PER_SECOND: value },
      `RATE_LIMIT_PER_SECOND must be an integer from 0 to 100000, not ${JSON.stringify(value)}.`,
    ]),
    [{ V1_DEPRECATION: '2027-02-30' }, `V1_DEPRECATION ${DATE}, not "2027-02-30".`],
    [{ V2_SUNSET: '@1735689600' }, `V2_SUNSET ${DATE}, not "@1735689600".`],
    [
      { V1_DEPRECATION: '2027-01-31', V1_SUNSET: '2027-01-30' },
      'V1_SUNSET must be no earlier than V1_DEPRECATION, not "2027-01-30".',
    ],
  ] as [Record<string, string>, string][])('%j: an error that names the variable', (more, message) => {
    expect(start(more)).toThrow(new Error(message));
  });
});
