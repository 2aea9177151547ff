/** The description of an invoice item, the range of its unit price in minor units, and the largest quantity. */
type Article = readonly [description: string, minCents: number, maxCents: number, maxQuantity: number];

/** The business of one demo account, and its customers. */
export interface Business {
  readonly account: string;
  readonly currency: string;
  readonly articles: readonly Article[];
  readonly cities: readonly (readonly [city: string, region: string | null, country: string])[];
  readonly nameSuffixes: readonly string[];
}

/** A design studio in the United States, and a brewery in Europe. */
export const BUSINESSES: readonly Business[] = [
  {
    account: 'acct_1',
    currency: 'USD',
    articles: [
      ['Brand workshop, half a day', 120_000, 180_000, 2],
      ['Web design, per page', 45_000, 90_000, 12],
      ['Illustration', 18_000, 35_000, 8],
      ['Photography, per day', 95_000, 140_000, 3],
      ['Copywriting, per hour', 8500, 12_000, 30],
      ['Hosting, per month', 2900, 4900, 12],
      ['Accessibility review', 60_000, 110_000, 1],
      ['Print proof', 3500, 6000, 6],
    ],
    cities: [
      ['Portland', 'OR', 'US'],
      ['Austin', 'TX', 'US'],
      ['Chicago', 'IL', 'US'],
      ['Boston', 'MA', 'US'],
      ['Toronto', 'ON', 'CA'],
    ],
    nameSuffixes: ['Inc.', 'LLC', 'Co.', '& Sons', 'Group'],
  },
  {
    account: 'acct_2',
    currency: 'EUR',
    articles: [
      ['Pale ale, keg of 30 l', 9500, 12_500, 12],
      ['Stout, keg of 30 l', 10_500, 13_900, 10],
      ['Wheat beer, crate of 20', 1900, 2600, 40],
      ['Alcohol-free lager, crate of 20', 1700, 2300, 40],
      ['Delivery', 1500, 4500, 1],
      ['Tap rental, per week', 6000, 9000, 4],
      ['Glasses, box of 24', 3200, 4400, 10],
      ['Brewery tour, per guest', 1200, 1800, 25],
    ],
    cities: [
      ['Lyon', null, 'FR'],
      ['Ghent', null, 'BE'],
      ['Leipzig', 'Saxony', 'DE'],
      ['Utrecht', null, 'NL'],
      ['Bologna', null, 'IT'],
    ],
    nameSuffixes: ['GmbH', 'S.A.', 'B.V.', 'S.r.l.', '& Fils'],
  },
];

/** The first and the second word of a customer's name. */
export const NAMES: readonly (readonly string[])[] = [
  ['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbor', 'Indigo', 'Juniper'],
  ['Analytics', 'Bakery', 'Cinemas', 'Dental', 'Electric', 'Foods', 'Gardens', 'Hotels', 'Interiors', 'Journeys'],
];

export const STREETS = ['Mill Road', 'Station Street', 'Canal Walk', 'Market Square', 'Orchard Lane', 'Hill View'];
export const REASONS = ['Delivered late', 'Damaged', 'Charged twice', 'Goodwill'];
export const SEGMENTS = ['retail', 'wholesale', 'public'];
