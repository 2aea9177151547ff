import { describe, expect, test } from '@jest/globals';
import createPayment from '#functions/payments/create.ts';
import { lambda } from '#shared/runtime.ts';

const WHOLE = {
  ISSUER: 'https://id.test/',
  AUDIENCE: 'invoicing',
  JWKS_URL: 'https://id.test/jwks',
  INVOICES_TABLE: 'invoices',
  PAYMENTS_TABLE: 'payments',
  IDEMPOTENCY_TABLE: 'idempotency',
};

/** What a Lambda does first of all in a cold start. */
const start = (more: Record<string, string>) => () => lambda(createPayment, { ...WHOLE, ...more });

describe('a cold start on a bad environment names the variable, and what was expected', () => {
  test('and on a good one there is a handler', () => {
    expect(start({})).not.toThrow();
    expect(start({ V1_DEPRECATION: '2027-01-31', V1_SUNSET: '2027-01-31T00:00:00Z', CORS_ORIGINS: '*' })).not.toThrow();
  });

  test.each([
    ...Object.keys(WHOLE).map((name) => [
      { [name]: '' },
      `${name} must be ${name === 'JWKS_URL' ? 'a URL' : 'a non-empty text'}, but is not set.`,
    ]),
    [{ JWKS_URL: 'id.test/jwks' }, 'JWKS_URL must be a URL, not "id.test/jwks".'],
    [{ IDEMPOTENCY_TTL_HOURS: '-24' }, 'IDEMPOTENCY_TTL_HOURS must be a positive integer, not "-24".'],
    [{ IDEMPOTENCY_TTL_HOURS: '1.5' }, 'IDEMPOTENCY_TTL_HOURS must be a positive integer, not "1.5".'],
    [{ CLERK_PAYMENT_LIMIT_CENTS: '0' }, 'CLERK_PAYMENT_LIMIT_CENTS must be a positive integer, not "0".'],
    [{ CLERK_PAYMENT_LIMIT_CENTS: '1e99' }, 'CLERK_PAYMENT_LIMIT_CENTS must be a positive integer, not "1e99".'],
    [{ REFUND_WINDOW_DAYS: 'long' }, 'REFUND_WINDOW_DAYS must be a positive integer, not "long".'],
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
  ] as [Record<string, string>, string][])('%j', (more, message) => {
    expect(start(more)).toThrow(new Error(message));
  });
});
