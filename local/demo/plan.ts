import type { CustomerDetails } from '#shared/invoicing/customers/rules.ts';
import { type InvoicePlan, invoicePlan } from './invoice-plan.ts';
import { createRandom, type Random } from './random.ts';
import { type Business, NAMES, SEGMENTS, STREETS } from './vocabulary.ts';

/** A customer to make, with its invoices in their order. */
export interface CustomerPlan {
  readonly reference: string;
  readonly details: CustomerDetails;
  readonly invoices: readonly InvoicePlan[];
}

/** How much to make for each account; an even number of customers, and a few invoices at least for each. */
export interface Extent {
  readonly customers: number;
  readonly invoicesEach: number;
}

/** Some customers buy often, others hardly; two neighbours together have twice the usual number of invoices. */
const MOST_APART = 6;

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '');

const detailsOf = ({ places, forms }: Business, reference: string, index: number, draw: Random): CustomerDetails => {
  const [first = [], second = []] = NAMES;
  const turn = Math.floor(index / first.length);
  const name = `${first[index % first.length]} ${second[(index + turn) % second.length]}`;
  const [city, region, country] = draw.of(places);
  return {
    name: `${name} ${draw.of(forms)}`,
    email: `accounts@${slug(name)}.example`,
    tax_id: `${country}${draw.integer(100_000_000, 999_999_999)}`,
    address: {
      line1: `${draw.integer(1, 180)} ${draw.of(STREETS)}`,
      city,
      ...(region !== null && { region }),
      postal_code: String(draw.integer(10_000, 99_999)),
      country,
    },
    metadata: { demo: reference, segment: draw.of(SEGMENTS) },
  };
};

/**
 * What a demo account holds: the same for the same day, its dates being around that day.
 * @param today what the invoices' due dates are counted from
 * @returns the customers; the last invoice of the last one is paid, and so can be neither changed nor deleted
 */
export const planOf = (business: Business, { customers, invoicesEach }: Extent, today: Date): CustomerPlan[] => {
  const apart = Math.min(MOST_APART, invoicesEach - 1);
  return Array.from({ length: customers }, (_, index) => {
    const reference = `demo-${String(index + 1).padStart(3, '0')}`;
    const pair = createRandom(`${business.account} pair ${index >> 1}`).integer(0, apart);
    const count = invoicesEach + (index % 2 === 0 ? pair : -pair);
    const draw = createRandom(`${business.account} ${reference}`);
    const details = detailsOf(business, reference, index, draw);
    const invoices = Array.from({ length: count }, (_, i) => {
      const isLast = index === customers - 1 && i === count - 1;
      return invoicePlan(business, `${reference}-${i + 1}`, draw, { today, isLast });
    });
    return { reference, details, invoices };
  });
};
