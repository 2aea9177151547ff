import type { CustomerDetails } from '#shared/invoicing/customers/rules.ts';
import { type InvoicePlan, invoicePlan } from './invoice-plan.ts';
import { createRandom, type Random } from './random.ts';
import { type Business, NAMES, SEGMENTS, STREETS } from './vocabulary.ts';

export interface CustomerPlan {
  readonly reference: string;
  readonly details: CustomerDetails;
  readonly invoices: readonly InvoicePlan[];
}

/** For each account. `customers` must be even, and `invoicesEach` at least 2. */
export interface PlanSize {
  readonly customers: number;
  readonly invoicesEach: number;
}

/**
 * How far a customer's number of invoices may differ from the average. Each pair of customers has twice the average.
 */
const MAX_DIFFERENCE = 6;

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '');

const detailsOf = (
  { cities, nameSuffixes }: Business,
  reference: string,
  index: number,
  draw: Random,
): CustomerDetails => {
  const [first = [], second = []] = NAMES;
  const turn = Math.floor(index / first.length);
  const name = `${first[index % first.length]} ${second[(index + turn) % second.length]}`;
  const [city, region, country] = draw.of(cities);
  return {
    name: `${name} ${draw.of(nameSuffixes)}`,
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
 * The plan of a demo account. It is the same for the same day, because its dates are relative to that day. The last
 * invoice of the last customer is paid, so that it can be neither changed nor deleted.
 */
export const planOf = (business: Business, { customers, invoicesEach }: PlanSize, today: Date): CustomerPlan[] => {
  const apart = Math.min(MAX_DIFFERENCE, invoicesEach - 1);
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
