import { expect, test } from '@jest/globals';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import { createRefund } from '#shared/invoicing/refunds/rules.ts';
import fc from '#test/support/random/fast-check.ts';

const AT = '2026-11-21T09:30:00.000Z';
const CREATION = { id: 42, at: AT };
const PAYMENT: Payment = {
  ...{
    id: 7,
    version: 3,
    created_at: AT,
    updated_at: AT,
    invoice_id: 5,
    method: 'card',
    reference: null,
    external_id: null,
  },
  ...{ amount_cents: 1000, currency: 'EUR', amount_refunded_cents: 400, created_by: 'user_1' },
  ...{ voided_at: null, void_reason: null },
};
const TERMS = { payment_id: 7, reason: 'Returned', external_id: null };

test('any part of a payment: a refund of the payment’s invoice and currency, and that much less can be refunded [CONTRACT §4]', () => {
  const amounts = fc
    .tuple(fc.nat(999), fc.integer({ min: 1, max: 1000 }))
    .filter(([done, more]) => done + more <= 1000);
  fc.assert(
    fc.property(amounts, ([amount_refunded_cents, amount_cents]) => {
      const before = { ...PAYMENT, amount_refunded_cents };
      expect(createRefund(before, { ...TERMS, amount_cents, currencies: { amount_cents: 'EUR' } }, CREATION)).toEqual({
        refund: {
          ...{ ...TERMS, id: 42, version: 1, created_at: AT, updated_at: AT },
          ...{ amount_cents, invoice_id: 5, currency: 'EUR' },
        },
        payment: { ...before, amount_refunded_cents: amount_refunded_cents + amount_cents, version: 4 },
      });
    }),
  );
});
