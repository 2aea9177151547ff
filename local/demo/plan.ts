import { sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import { PAYMENT_METHODS } from '#shared/invoicing/payments/rules.ts';
import { type Business, CUSTOMERS, OUTCOMES, STREETS } from './data.ts';

export type InvoicePlan = ReturnType<typeof planInvoice>;
export type Plan = ReturnType<typeof planOf>;

const DAY_MS = 86_400_000;
const INVOICES = 100;
const TERM_DAYS = 30;

const at = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/**
 * The plan of a demo account. It is the same for the same day, because its dates are relative to that day. Invoices are in
 * the order of their issue dates, as a number series requires, and the last one has the first outcome.
 */
export const planOf = (business: Business, today: Date) => ({
  prefix: business.prefix,
  customers: CUSTOMERS.map((name, i) => {
    const { suffix, currency, ...address } = at(business.places, i);
    return {
      name: `${name} ${suffix}`,
      email: `accounts@${name.toLowerCase().replace(' ', '-')}.example`,
      tax_id: `${address.country}${123_456_789 + i * 7_654_321}`,
      address: { line1: `${7 * i + 1} ${at(STREETS, i)}`, ...address },
      external_id: `demo-${i + 1}`,
    };
  }),
  invoices: Array.from({ length: INVOICES }, (_, n) => planInvoice(business, n, today)).sort((a, b) =>
    a.terms.due_date.localeCompare(b.terms.due_date),
  ),
});

const planInvoice = ({ places, articles }: Business, n: number, today: Date) => {
  const { dueInDays, status, paid = [], refunded, credited, finally: end } = at(OUTCOMES, n);
  const dateIn = (days: number) => new Date(today.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const due = dueInDays - (n % 7);
  const issue_date = dateIn(due - TERM_DAYS);
  const external_id = `demo-${n + 1}`;
  const order = `Order ${1000 + n}`;
  const customer = n % CUSTOMERS.length;
  const { currency, country } = at(places, customer);
  const isExport = country !== places[0]?.country;
  const items = Array.from({ length: 1 + (n % 3) }, (_, i) => {
    const [description, unit_amount_cents, quantity, tax = null] = at(articles, n + i);
    const taxed = {
      tax_percent: tax && (isExport ? 0 : tax),
      tax_category: tax === null ? null : isExport ? 'G' : 'S',
    };
    return { description, unit_amount_cents, quantity, discount_cents: (n + i) % 4 === 0 ? 1000 : 0, ...taxed };
  });
  const { total_cents } = sumOf(items);
  const payments = paid.map((percent, i) => ({
    amount_cents: (total_cents * percent) / 100,
    method: at(PAYMENT_METHODS, n + i),
    reference: order,
    external_id: `${external_id}-${i + 1}`,
  }));
  const last = payments.at(-1)?.amount_cents ?? 0;
  return {
    customer,
    terms: {
      ...{ currency, due_date: dateIn(due), description: order, external_id },
      // A draft gets its issue date when it is opened.
      ...(status ? { status, issue_date: null } : { issue_date }),
      ...(n % 10 === 9 ? { total_cents } : { items }),
    },
    payments,
    refund: refunded && { amount_cents: (last * refunded) / 100, reason: 'Goodwill', external_id },
    creditNote: credited && {
      ...{ amount_cents: (total_cents * credited) / 100, reason: 'Less than ordered', issue_date, external_id },
    },
    end,
  };
};
