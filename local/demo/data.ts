import type { CustomerDetails } from '#shared/invoicing/customers/rules.ts';

type Place = NonNullable<CustomerDetails['address']> & { readonly suffix: string; readonly currency: string };

export interface Business {
  readonly account: string;
  /** Unusual, because a series of the account's own may have a later issue date, and would refuse the invoices. */
  readonly prefix: string;
  readonly places: readonly Place[];
  /** The tax is in percent. All amounts are so round that each share of a total is a number of cents. */
  readonly articles: readonly (readonly [description: string, unit_cents: number, quantity: number, tax?: number])[];
}

/** A brewery in Austria, and a design studio in the United States. */
export const BUSINESSES: readonly Business[] = [
  {
    account: 'acct_1',
    prefix: 'BREW-',
    places: [
      { suffix: 'GmbH', city: 'Vienna', postal_code: '1070', country: 'AT', currency: 'EUR' },
      { suffix: 'KG', city: 'Graz', postal_code: '8010', country: 'AT', currency: 'EUR' },
      { suffix: 'Ltd', city: 'London', postal_code: 'E8 3QN', country: 'GB', currency: 'GBP' },
      { suffix: 'e.U.', city: 'Linz', postal_code: '4020', country: 'AT', currency: 'EUR' },
      { suffix: 'AG', city: 'Zurich', postal_code: '8004', country: 'CH', currency: 'CHF' },
    ],
    articles: [
      ['Pale ale, keg of 30 l', 11_000, 8, 20],
      ['Stout, keg of 30 l', 12_500, 4, 20],
      ['Spent-grain bread, crate', 4500, 6, 10],
      ['Wheat beer, crate of 20', 2300, 30, 20],
      ['Tap rental, per week', 7500, 2, 20],
      ['Glasses, box of 24', 3800, 6, 20],
      ['Brewery guide, book', 1500, 20, 10],
    ],
  },
  {
    account: 'acct_2',
    prefix: 'STUDIO-',
    places: [
      { suffix: 'Inc.', city: 'Portland', region: 'OR', postal_code: '97205', country: 'US', currency: 'USD' },
      { suffix: 'LLC', city: 'Austin', region: 'TX', postal_code: '78701', country: 'US', currency: 'USD' },
      { suffix: 'Ltd.', city: 'Toronto', region: 'ON', postal_code: 'M5V 2T6', country: 'CA', currency: 'CAD' },
    ],
    articles: [
      ['Brand workshop, half a day', 150_000, 1],
      ['Web design, per page', 65_000, 4],
      ['Illustration', 24_000, 3],
      ['Photography, per day', 110_000, 2],
      ['Copywriting, per hour', 9600, 12.5],
      ['Hosting, per month', 3900, 12],
      ['Print proof', 4500, 5],
    ],
  },
];

export const CUSTOMERS = [
  ...['Amber Analytics', 'Birch Bakery', 'Cedar Cinemas', 'Delta Dental', 'Ember Electric'],
  ...['Fjord Foods', 'Granite Gardens', 'Harbor Hotels', 'Indigo Interiors', 'Juniper Journeys'],
  ...['Amber Bakery', 'Birch Cinemas', 'Cedar Dental', 'Delta Electric', 'Ember Foods'],
  ...['Fjord Gardens', 'Granite Hotels', 'Harbor Interiors', 'Indigo Journeys', 'Juniper Analytics'],
];

export const STREETS = ['Mill Road', 'Station Street', 'Canal Walk', 'Market Square', 'Orchard Lane', 'Hill View'];

export interface Outcome {
  readonly dueInDays: number;
  readonly status?: 'draft';
  /** Each payment, in percent of the total. */
  readonly paid?: readonly number[];
  /** The refund of the last payment, in percent of it. */
  readonly refunded?: number;
  /** The credit note, in percent of the total. */
  readonly credited?: number;
  readonly finally?: 'cancel' | 'settle' | 'void';
}

/**
 * What becomes of invoices. The first one is paid, so that nobody can change or delete it. The number of outcomes
 * has no factor in common with the numbers of customers, places and articles, so that all combinations occur.
 */
export const OUTCOMES: readonly Outcome[] = [
  { dueInDays: 30, paid: [100] },
  { dueInDays: 29, status: 'draft' },
  { dueInDays: 28 },
  { dueInDays: 24, paid: [50] },
  { dueInDays: 19 },
  { dueInDays: 17, paid: [50], credited: 20 },
  { dueInDays: 16, paid: [50], finally: 'void' },
  { dueInDays: -2 },
  { dueInDays: -14, credited: 100 },
  { dueInDays: -20, finally: 'cancel' },
  { dueInDays: -26, paid: [40] },
  { dueInDays: -40, paid: [100], refunded: 20, credited: 20 },
  { dueInDays: -60, paid: [100], refunded: 25 },
  { dueInDays: -75, paid: [100], refunded: 100 },
  { dueInDays: -95, paid: [100] },
  { dueInDays: -130, paid: [50, 25, 25] },
  { dueInDays: -170, finally: 'settle' },
];

export const EXPORTS = [
  { type: 'invoices', format: 'csv', filter: { status: 'open' } },
  { type: 'customers', format: 'jsonl' },
] as const;

/** The events that the webhook endpoints of the demo accounts subscribe to. */
export const EVENT_TYPES = ['invoice.opened', 'invoice.paid', 'invoice.canceled', 'payment.created'];
