import type { InvoiceItemTerms } from '#shared/invoicing/invoice-items/rules.ts';
import type { InvoiceTerms } from '#shared/invoicing/invoices/rules.ts';
import { PAYMENT_METHODS, type PaymentTerms } from '#shared/invoicing/payments/rules.ts';
import type { Random } from './random.ts';
import { type Business, REASONS } from './vocabulary.ts';

/** A payment to make, and what of it goes back. */
export interface PaymentPlan extends Omit<PaymentTerms, 'invoice_id' | 'currency'> {
  readonly refunds: readonly { readonly amount_cents: number; readonly reason: string }[];
}

export type ItemPlan = Pick<InvoiceItemTerms, 'description' | 'quantity' | 'unit_amount_cents'>;

/** An invoice to make, and what becomes of it. */
export interface InvoicePlan {
  readonly reference: string;
  readonly terms: Partial<InvoiceTerms>;
  /** None for a flat one. */
  readonly items: readonly ItemPlan[];
  /** What is done to it at the end. */
  readonly finally?: 'cancel' | 'settle';
  readonly payments: readonly PaymentPlan[];
}

/** How an invoice's story goes. */
interface Story {
  /** Of 100 invoices, so many. */
  readonly share: number;
  /** When it is due, in days from today. */
  readonly due: readonly [least: number, most: number];
  readonly status?: 'draft';
  readonly finally?: 'cancel' | 'settle';
  /** In how many payments how much of it is paid, in hundredths. */
  readonly paid?: readonly [payments: number, hundredths: number];
  /** How much of the last payment goes back, in hundredths. */
  readonly refunded?: number;
}

const PAID: Story = { share: 35, due: [-330, -5], paid: [1, 100] };

const STORIES: readonly Story[] = [
  { share: 8, due: [20, 60], status: 'draft' },
  { share: 16, due: [1, 45] },
  { share: 9, due: [-60, -1] },
  { share: 9, due: [-20, 20], paid: [1, 40] },
  PAID,
  { share: 8, due: [-200, -5], paid: [3, 100] },
  { share: 3, due: [-300, -30], finally: 'settle' },
  { share: 6, due: [-120, 30], finally: 'cancel' },
  { share: 3, due: [-180, -20], paid: [1, 100], refunded: 25 },
  { share: 3, due: [-180, -20], paid: [1, 100], refunded: 100 },
];

/** Each story as often as its share. */
const HUNDRED: readonly Story[] = STORIES.flatMap((story) => Array.from({ length: story.share }, () => story));

const DAY_MS = 86_400_000;
const dayFrom = (today: Date, days: number): string =>
  new Date(today.getTime() + days * DAY_MS).toISOString().slice(0, 10);

const itemsOf = ({ articles }: Business, draw: Random): ItemPlan[] =>
  draw.some(articles, draw.integer(1, 3)).map(({ description, least, most, units }) => ({
    description,
    quantity: draw.integer(1, units),
    unit_amount_cents: draw.integer(least / 100, most / 100) * 100,
  }));

const hundredths = (amount: number, share: number): number => Math.max(1, Math.floor((amount * share) / 100));

const paymentsOf = (reference: string, total: number, { paid, refunded }: Story, draw: Random): PaymentPlan[] => {
  if (!paid) return [];
  const [count, share] = paid;
  const whole = hundredths(total, share);
  const part = Math.floor(whole / count);
  const amounts = Array.from({ length: count }, (_, i) => (i === 0 ? whole - part * (count - 1) : part));
  return amounts.map((amount_cents, i) => ({
    amount_cents,
    method: draw.of(PAYMENT_METHODS),
    reference: `${reference}-${i + 1}`,
    refunds:
      refunded && i === count - 1
        ? [{ amount_cents: hundredths(amount_cents, refunded), reason: draw.of(REASONS) }]
        : [],
  }));
};

/**
 * An invoice and what becomes of it: of three, two have items.
 * @param isLast for one that is paid in full, whatever its reference would make of it
 */
export const invoicePlan = (
  business: Business,
  reference: string,
  draw: Random,
  { today, isLast }: { today: Date; isLast: boolean },
): InvoicePlan => {
  const story = isLast ? PAID : draw.of(HUNDRED);
  const sold = itemsOf(business, draw);
  const isFlat = draw.integer(1, 3) === 1;
  const total = sold.reduce((sum, { quantity, unit_amount_cents }) => sum + quantity * unit_amount_cents, 0);
  return {
    reference,
    terms: {
      currency: business.currency,
      due_date: dayFrom(today, draw.integer(...story.due)),
      description: isFlat ? (sold[0]?.description ?? null) : `Order ${draw.integer(1000, 9999)}`,
      metadata: { demo: reference },
      ...(isFlat && { total_cents: total }),
      ...(story.status && { status: story.status }),
    },
    items: isFlat ? [] : sold,
    payments: paymentsOf(reference, total, story, draw),
    ...(story.finally && { finally: story.finally }),
  };
};
