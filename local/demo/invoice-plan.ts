import type { InvoiceItemTerms } from '#shared/invoicing/invoice-items/rules.ts';
import type { InvoiceTerms } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_METHODS, type PaymentTerms } from '#shared/invoicing/payments/rules.ts';
import type { Random } from './random.ts';
import { type Business, REASONS } from './vocabulary.ts';

export interface PaymentPlan extends Omit<PaymentTerms, 'invoice_id' | 'currency'> {
  readonly refunds: readonly { readonly amount_cents: number; readonly reason: string }[];
}

type ItemPlan = Pick<InvoiceItemTerms, 'description' | 'quantity' | 'unit_amount_cents'>;

/** An invoice with the payments and the change that follow it. */
export interface InvoicePlan {
  readonly reference: string;
  readonly terms: Partial<InvoiceTerms>;
  /** Empty for an invoice with a total of its own. */
  readonly items: readonly ItemPlan[];
  readonly finally?: 'cancel' | 'settle';
  readonly payments: readonly PaymentPlan[];
}

interface Scenario {
  /** The number of invoices in 100. */
  readonly weight: number;
  readonly dueInDays: readonly [min: number, max: number];
  readonly status?: 'draft';
  readonly finally?: 'cancel' | 'settle';
  readonly paid?: readonly [payments: number, percent: number];
  /** The refunded percentage of the last payment. */
  readonly refundPercent?: number;
}

const PAID_IN_FULL: Scenario = { weight: 35, dueInDays: [-330, -5], paid: [1, 100] };

const SCENARIOS: readonly Scenario[] = [
  { weight: 8, dueInDays: [20, 60], status: 'draft' },
  { weight: 16, dueInDays: [1, 45] },
  { weight: 9, dueInDays: [-60, -1] },
  { weight: 9, dueInDays: [-20, 20], paid: [1, 40] },
  PAID_IN_FULL,
  { weight: 8, dueInDays: [-200, -5], paid: [3, 100] },
  { weight: 3, dueInDays: [-300, -30], finally: 'settle' },
  { weight: 6, dueInDays: [-120, 30], finally: 'cancel' },
  { weight: 3, dueInDays: [-180, -20], paid: [1, 100], refundPercent: 25 },
  { weight: 3, dueInDays: [-180, -20], paid: [1, 100], refundPercent: 100 },
];

const WEIGHTED_SCENARIOS: readonly Scenario[] = SCENARIOS.flatMap((scenario) =>
  Array.from({ length: scenario.weight }, () => scenario),
);

const DAY_MS = 86_400_000;
const dayFrom = (today: Date, days: number): string =>
  new Date(today.getTime() + days * DAY_MS).toISOString().slice(0, 10);

const itemsOf = ({ articles }: Business, draw: Random): ItemPlan[] =>
  draw.some(articles, draw.integer(1, 3)).map(([description, minCents, maxCents, maxQuantity]) => ({
    description,
    quantity: draw.integer(1, maxQuantity),
    unit_amount_cents: draw.integer(minCents / 100, maxCents / 100) * 100,
  }));

const percentOf = (amount: number, percent: number): number => Math.max(1, Math.floor((amount * percent) / 100));

const paymentsOf = (
  reference: string,
  total: number,
  { paid, refundPercent }: Scenario,
  draw: Random,
): PaymentPlan[] => {
  if (!paid) return [];
  const [count, percent] = paid;
  const whole = percentOf(total, percent);
  const part = Math.floor(whole / count);
  const amounts = Array.from({ length: count }, (_, i) => (i === 0 ? whole - part * (count - 1) : part));
  return amounts.map((amount_cents, i) => ({
    amount_cents,
    method: draw.of(PAYMENT_METHODS),
    reference: `${reference}-${i + 1}`,
    refunds:
      refundPercent && i === count - 1
        ? [{ amount_cents: percentOf(amount_cents, refundPercent), reason: draw.of(REASONS) }]
        : [],
  }));
};

/** @param isLast the invoice is paid in full, instead of a random scenario */
export const invoicePlan = (
  business: Business,
  reference: string,
  draw: Random,
  { today, isLast }: { today: Date; isLast: boolean },
): InvoicePlan => {
  const scenario = isLast ? PAID_IN_FULL : draw.of(WEIGHTED_SCENARIOS);
  const sold = itemsOf(business, draw);
  const isFlat = draw.integer(1, 3) === 1;
  const total = sold.reduce((sum, { quantity, unit_amount_cents }) => sum + quantity * unit_amount_cents, 0);
  return {
    reference,
    terms: {
      currency: business.currency,
      due_date: dayFrom(today, draw.integer(...scenario.dueInDays)),
      description: isFlat ? (sold[0]?.description ?? null) : `Order ${draw.integer(1000, 9999)}`,
      metadata: { demo: reference },
      ...(isFlat && { total_cents: total }),
      ...(scenario.status && { status: scenario.status }),
    },
    items: isFlat ? [] : sold,
    payments: paymentsOf(reference, total, scenario, draw),
    ...(scenario.finally && { finally: scenario.finally }),
  };
};
