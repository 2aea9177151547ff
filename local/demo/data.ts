import type { CustomerDetails } from '#shared/invoicing/customers/rules.ts';

export interface Business {
  readonly account: string;
  readonly currency: string;
  readonly suffixes: readonly string[];
  readonly places: readonly NonNullable<CustomerDetails['address']>[];
  /** In percent. All amounts are so round that each share of a total is a number of cents. */
  readonly tax: number | null;
  readonly articles: readonly (readonly [description: string, unit_amount_cents: number, quantity: number])[];
}

/** A design studio in the United States, and a brewery in Europe. */
export const BUSINESSES: readonly Business[] = [
  {
    account: 'acct_1',
    currency: 'USD',
    tax: null,
    suffixes: ['Inc.', 'LLC', 'Co.', 'Group'],
    places: [
      { city: 'Portland', region: 'OR', country: 'US' },
      { city: 'Austin', region: 'TX', country: 'US' },
      { city: 'Toronto', region: 'ON', country: 'CA' },
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
  {
    account: 'acct_2',
    currency: 'EUR',
    tax: 20,
    suffixes: ['GmbH', 'S.A.', 'B.V.', 'S.r.l.'],
    places: [
      { city: 'Lyon', country: 'FR' },
      { city: 'Ghent', country: 'BE' },
      { city: 'Leipzig', region: 'Saxony', country: 'DE' },
    ],
    articles: [
      ['Pale ale, keg of 30 l', 11_000, 8],
      ['Stout, keg of 30 l', 12_500, 4],
      ['Wheat beer, crate of 20', 2300, 30],
      ['Delivery', 3500, 1],
      ['Tap rental, per week', 7500, 2],
      ['Glasses, box of 24', 3800, 6],
      ['Brewery tour, per guest', 1500, 20],
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

/** What becomes of invoices. The first one is paid, so that nobody can change or delete it. */
export const OUTCOMES: readonly [Outcome, ...Outcome[]] = [
  { dueInDays: -40, paid: [100] },
  { dueInDays: 30, status: 'draft' },
  { dueInDays: 15 },
  { dueInDays: -12 },
  { dueInDays: 5, paid: [40] },
  { dueInDays: -95, paid: [100] },
  { dueInDays: -150, paid: [50, 25, 25] },
  { dueInDays: -200, finally: 'settle' },
  { dueInDays: -20, finally: 'cancel' },
  { dueInDays: -60, paid: [100], refunded: 25 },
  { dueInDays: -75, paid: [100], refunded: 100 },
  { dueInDays: 8, paid: [50], finally: 'void' },
  { dueInDays: 12, paid: [50], credited: 20 },
  { dueInDays: -30, credited: 100 },
];
