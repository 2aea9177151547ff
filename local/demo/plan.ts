import type { CustomerDetails } from '#shared/invoicing/customers/rules.ts';
import { sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import { PAYMENT_METHODS } from '#shared/invoicing/payments/rules.ts';
import { type Business, CUSTOMERS, OUTCOMES, type Outcome, STREETS } from './data.ts';

export type InvoicePlan = ReturnType<typeof planInvoice>;

export interface CustomerPlan {
  readonly details: Omit<CustomerDetails, 'metadata'>;
  readonly invoices: readonly InvoicePlan[];
}

const DAY_MS = 86_400_000;

const at = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** The plan of a demo account. It is the same for the same day, because its dates are relative to that day. */
export const planOf = (business: Business, today: Date): CustomerPlan[] =>
  CUSTOMERS.map((name, i) => {
    const address = at(business.places, i);
    const count = 2 + ((3 * i) % 7);
    // The last invoice of all has the first outcome.
    const outcomeOf = (j: number) => at(OUTCOMES, CUSTOMERS.length - 1 - i + (count - 1 - j));
    return {
      details: {
        name: `${name} ${at(business.suffixes, i)}`,
        email: `accounts@${name.toLowerCase().replace(' ', '-')}.example`,
        tax_id: `${address.country}${123_456_789 + i * 7_654_321}`,
        address: { line1: `${7 * i + 1} ${at(STREETS, i)}`, postal_code: String(10_115 + 1234 * i), ...address },
        external_id: `demo-${i + 1}`,
      },
      invoices: Array.from({ length: count }, (_, j) =>
        planInvoice(business, `demo-${i + 1}-${j + 1}`, 3 * i + j, outcomeOf(j), today),
      ),
    };
  });

/** @param number selects the items, the due date and the methods of the payments */
const planInvoice = (
  { currency, tax, articles }: Business,
  external_id: string,
  number: number,
  { dueInDays, status, paid = [], refunded, credited, finally: end }: Outcome,
  today: Date,
) => {
  const items = Array.from({ length: 1 + (number % 3) }, (_, i) => at(articles, number + i)).map(
    ([description, unit_amount_cents, quantity], i) => {
      const discount_cents = (number + i) % 4 === 0 ? 1000 : 0;
      const taxed = { tax_percent: tax, tax_category: tax === null ? null : 'S' };
      return { description, unit_amount_cents, quantity, discount_cents, ...taxed };
    },
  );
  const { total_cents } = sumOf(items);
  const payments = paid.map((percent, i) => ({
    amount_cents: (total_cents * percent) / 100,
    method: at(PAYMENT_METHODS, number + i),
    reference: `Transfer ${1000 + number}-${i + 1}`,
    external_id: `${external_id}-${i + 1}`,
  }));
  const last = payments.at(-1)?.amount_cents ?? 0;
  return {
    terms: {
      currency,
      due_date: new Date(today.getTime() + (dueInDays - (number % 7)) * DAY_MS).toISOString().slice(0, 10),
      description: `Order ${1000 + number}`,
      external_id,
      ...(status && { status }),
      // An invoice with one item has a total of its own instead.
      ...(items.length > 1 ? { items } : { total_cents }),
    },
    payments,
    refund: refunded && { amount_cents: (last * refunded) / 100, reason: 'Goodwill', external_id },
    creditNote: credited && { amount_cents: (total_cents * credited) / 100, reason: 'Less than ordered', external_id },
    end,
  };
};
