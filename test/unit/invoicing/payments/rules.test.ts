import { expect, test } from '@jest/globals';
import { amountDue, type Invoice, isClosed } from '#shared/invoicing/invoices/rules.ts';
import { type PaymentTerms, pay, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import fc from '#test/support/random/fast-check.ts';
import { invoice } from '../arbitrary.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
const CREATION = { id: 42, at: AT, by: 'user_1' };

const termsOf = ({ id }: Invoice, amount_cents: number): PaymentTerms => ({
  invoice_id: id,
  amount_cents,
  method: 'card',
  reference: null,
});

/** An open invoice, and an amount up to its amount due. */
const payable = invoice
  .map((one): Invoice => ({ ...one, status: 'open', paid_at: null, canceled_at: null }))
  .filter((one) => amountDue(one) > 0)
  .chain((one) => fc.tuple(fc.constant(one), fc.integer({ min: 1, max: amountDue(one) })));

test('any amount up to the amount due: a payment in the invoice’s currency, and the invoice owes that much less [CONTRACT §4]', () => {
  fc.assert(
    fc.property(payable, ([before, amount_cents]) => {
      const terms = termsOf(before, amount_cents);
      const { payment, invoice: after } = pay(before, terms, CREATION);
      const firstVersion = { id: 42, version: 1, created_at: AT, updated_at: AT };
      const { currency } = before;
      expect(payment).toEqual({ ...terms, ...firstVersion, currency, amount_refunded_cents: 0, created_by: 'user_1' });
      const amount_paid_cents = before.amount_paid_cents + amount_cents;
      const settled = amount_cents === amountDue(before) ? { status: 'paid', paid_at: AT } : {};
      const version = before.version + 1;
      expect(after).toEqual({ ...before, amount_paid_cents, version, updated_at: AT, ...settled });
      expect(amountDue(after)).toBe(amountDue(before) - amount_cents);
    }),
  );
});

test('any amount above the amount due: amount-exceeds-due, with the amount due [CONTRACT §4]', () => {
  fc.assert(
    fc.property(payable, fc.integer({ min: 1, max: 1_000_000 }), ([before], excess) => {
      const amount_due_cents = amountDue(before);
      expect(problemOf(() => pay(before, termsOf(before, amount_due_cents + excess), CREATION))).toMatchObject({
        code: 'amount-exceeds-due',
        facts: { amount: 'amount_cents', amounts: { amount_due_cents, currency: before.currency } },
      });
    }),
  );
});

test('an invoice that is not open: invoice-not-payable, whatever the amount and the currency [CONTRACT §4]', () => {
  fc.assert(
    fc.property(invoice, (before) => {
      fc.pre(isClosed(before) || before.status === 'draft');
      const terms = { ...termsOf(before, 1), currency: 'XXX' };
      expect(problemOf(() => pay(before, terms, CREATION))).toMatchObject({
        code: 'invoice-not-payable',
        facts: { field: 'invoice_id', detail: `The invoice is ${before.status}.` },
      });
    }),
  );
});

test('a named currency: the invoice’s is accepted, another currency is validation-failed before the amount is checked [CONTRACT §12]', () => {
  fc.assert(
    fc.property(payable, ([before, amount_cents]) => {
      const terms = { ...termsOf(before, amount_cents), currency: before.currency };
      expect(pay(before, terms, CREATION).payment.currency).toBe(before.currency);
      const other = { ...termsOf(before, amountDue(before) + 1), currency: 'XXX' };
      expect(problemOf(() => pay(before, other, CREATION))).toMatchObject({
        code: 'validation-failed',
        facts: { field: 'currency', amount: 'amount_cents' },
      });
    }),
  );
});

test.each([
  [0, 'succeeded'],
  [1, 'partially_refunded'],
  [99, 'partially_refunded'],
  [100, 'refunded'],
])('a payment of 100 with %i refunded: %s [CONTRACT §4]', (amount_refunded_cents, status) => {
  expect(paymentStatus({ amount_cents: 100, amount_refunded_cents })).toBe(status);
});
