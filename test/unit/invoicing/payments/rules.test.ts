import { expect, test } from '@jest/globals';
import { amountDue, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { type PaymentTerms, pay, voidPayment } from '#shared/invoicing/payments/rules.ts';
import fc from '#test/support/random/fast-check.ts';
import { invoice } from '../arbitrary.ts';

const AT = '2026-11-21T09:30:00.000Z';
const CREATION = { id: 42, at: AT, by: 'user_1' };

const termsOf = ({ id }: Invoice, amount_cents: number): PaymentTerms => ({
  invoice_id: id,
  amount_cents,
  method: 'card',
  reference: null,
  external_id: null,
});

/** An open invoice, and an amount up to its amount due. */
const payable = invoice
  .map((one): Invoice => ({ ...one, status: 'open', settlement: null, paid_at: null, canceled_at: null }))
  .filter((one) => amountDue(one) > 0)
  .chain((one) => fc.tuple(fc.constant(one), fc.integer({ min: 1, max: amountDue(one) })));

test('any amount up to the amount due: a payment in the invoice’s currency, and the invoice owes that much less until it is voided [CONTRACT §4]', () => {
  fc.assert(
    fc.property(payable, ([before, amount_cents]) => {
      const terms = termsOf(before, amount_cents);
      const { payment, invoice: after } = pay(before, terms, CREATION);
      const firstVersion = { id: 42, version: 1, created_at: AT, updated_at: AT };
      const { currency } = before;
      const state = { amount_refunded_cents: 0, created_by: 'user_1', voided_at: null, void_reason: null };
      expect(payment).toEqual({ ...terms, ...firstVersion, currency, ...state });
      const amount_paid_cents = before.amount_paid_cents + amount_cents;
      const settled = amount_cents === amountDue(before) ? { status: 'paid', settlement: 'payments', paid_at: AT } : {};
      const version = before.version + 1;
      const payment_count = before.payment_count + 1;
      expect(after).toEqual({ ...before, amount_paid_cents, payment_count, version, updated_at: AT, ...settled });
      expect(amountDue(after)).toBe(amountDue(before) - amount_cents);
      const voided = voidPayment(payment, after, 'Twice', AT);
      expect(voided.payment).toEqual({ ...payment, version: 2, voided_at: AT, void_reason: 'Twice' });
      expect(voided.invoice).toEqual({ ...before, payment_count, version: version + 1, updated_at: AT });
    }),
  );
});
