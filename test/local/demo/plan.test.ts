import { expect, test } from '@jest/globals';
import { planOf } from '#local/demo/plan.ts';
import { BUSINESSES } from '#local/demo/vocabulary.ts';

const TODAY = new Date('2026-11-21T12:00:00.000Z');
const EXTENT = { customers: 100, invoicesEach: 10 };

const plans = BUSINESSES.map((business) => ({ ...business, plan: planOf(business, EXTENT, TODAY) }));

test('the plan: two accounts with 200 customers and 2,000 invoices [CONTRACT §1]', () => {
  expect(plans.map(({ account }) => account)).toEqual(['acct_1', 'acct_2']);
  for (const { plan } of plans) {
    expect(plan.length).toBe(100);
    const invoices = plan.map((customer) => customer.invoices.length);
    expect(invoices.reduce((sum, count) => sum + count)).toBe(1000);
    expect(Math.max(...invoices)).toBeGreaterThan(2 * Math.min(...invoices));
  }
});

test('the same day: the same plan', () => {
  for (const { plan, ...business } of plans) expect(planOf(business, EXTENT, TODAY)).toEqual(plan);
});

test.each(plans)(
  '$account: the identifying members of customers, invoices, payments and refunds are unique',
  ({ plan }) => {
    const invoices = plan.flatMap((customer) => customer.invoices);
    const payments = invoices.flatMap((invoice) => invoice.payments);
    const unique = (names: readonly unknown[]) => expect(new Set(names).size).toBe(names.length);
    unique(plan.map(({ reference }) => reference));
    unique(plan.map(({ details }) => details.email));
    unique(invoices.map(({ reference }) => reference));
    unique(payments.map(({ reference }) => reference));
    for (const { refunds } of payments) unique(refunds.map(({ reason }) => reason));
    expect(plan.every(({ reference, details }) => details.metadata['demo'] === reference)).toBe(true);
    expect(invoices.every(({ reference, terms }) => terms.metadata?.['demo'] === reference)).toBe(true);
  },
);

test.each(plans)('$account: due dates are spread over most of a year around the day', ({ plan }) => {
  const days = plan.flatMap(({ invoices }) => invoices.map(({ terms }) => terms.due_date as string)).sort();
  expect(days.every((day) => /^2025-12|^2026-|^2027-01/.test(day))).toBe(true);
  expect(new Set(days.map((day) => day.slice(0, 7))).size).toBeGreaterThanOrEqual(12);
});

test('amounts: integers; payments never exceed their total, nor refunds their payment', () => {
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  for (const { terms, items, payments } of plans.flatMap(({ plan }) => plan.flatMap(({ invoices }) => invoices))) {
    const total = terms.total_cents ?? sum(items.map((item) => item.quantity * item.unit_amount_cents));
    expect(total).toBeGreaterThan(0);
    expect(sum(payments.map(({ amount_cents }) => amount_cents))).toBeLessThanOrEqual(total);
    for (const { amount_cents, refunds } of payments) {
      expect(Number.isSafeInteger(amount_cents)).toBe(true);
      expect(sum(refunds.map((refund) => refund.amount_cents))).toBeLessThanOrEqual(amount_cents);
    }
  }
});
