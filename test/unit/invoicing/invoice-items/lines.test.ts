import { describe, expect, test } from '@jest/globals';
import {
  addLine,
  type Line,
  lineAmount,
  removeLine,
  subtotal,
  sumOf,
  taxBreakdown,
  taxOf,
  taxTotal,
} from '#shared/invoicing/invoice-items/lines.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';

/** A line with its decimals as texts, as a body writes them. */
interface Written {
  readonly quantity: string;
  readonly unit_amount_cents: number;
  /** In millionths of the gross amount. */
  readonly discount: number;
  readonly tax_percent: string | null;
  readonly tax_category: string | null;
}

const decimal = (integer: number, decimals: number): string => {
  const digits = String(integer).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

/* An oracle with another algorithm: fractions of BigInt, rounded by their remainder, and grouped by text. */

type Fraction = readonly [numerator: bigint, denominator: bigint];

const fractionOf = (text: string): Fraction => {
  const [whole = '', part = ''] = text.split('.');
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
};
const times = ([a, b]: Fraction, cents: bigint): Fraction => [a * cents, b];
const rounded = ([a, b]: Fraction): bigint => a / b + ((a % b) * 2n >= b ? 1n : 0n);

const grossOf = ({ quantity, unit_amount_cents }: Written): bigint =>
  rounded(times(fractionOf(quantity), BigInt(unit_amount_cents)));
const discountOf = (line: Written): bigint => (grossOf(line) * BigInt(line.discount)) / 1_000_000n;

const expected = (lines: readonly Written[]) => {
  const taxable = new Map<string, bigint>();
  let net = 0n;
  for (const line of lines) {
    const amount = grossOf(line) - discountOf(line);
    net += amount;
    const key = line.tax_percent && JSON.stringify([line.tax_percent, line.tax_category]);
    if (key) taxable.set(key, (taxable.get(key) ?? 0n) + amount);
  }
  const entries = [...taxable].map(([key, cents]) => {
    const [percent, category] = JSON.parse(key) as [string, string | null];
    const [a, b] = times(fractionOf(percent), cents);
    return { percent, category: category ?? '', cents, tax: rounded([a, b * 100n]) };
  });
  entries.sort((a, b) => Number(a.percent) - Number(b.percent) || (a.category < b.category ? -1 : 1));
  const tax = entries.reduce((sum, entry) => sum + entry.tax, 0n);
  return {
    ...{ subtotal: net, tax, total: net + tax },
    breakdown: entries.map(({ percent, cents, tax }) => [Number(percent), cents, tax]),
  };
};

const toLine = (line: Written): Line => ({
  quantity: JSON.parse(line.quantity),
  unit_amount_cents: line.unit_amount_cents,
  discount_cents: Number(discountOf(line)),
  tax_percent: JSON.parse(line.tax_percent ?? 'null'),
  tax_category: line.tax_category,
});

/** Digits of all lengths, and halves, which are rounded. */
const upTo = (max: number) => fc.oneof(fc.integer({ min: 1, max }), fc.integer({ min: 1, max: Math.min(max, 2000) }));
const written: fc.Arbitrary<Written> = fc.record({
  quantity: fc.oneof(
    upTo(1_000_000_000_000).map((n) => decimal(n, 6)),
    upTo(1_000_000).map((n) => decimal(n * 500_000, 6)),
  ),
  unit_amount_cents: upTo(9_999_999).map((cents) => cents - 1),
  discount: fc.constantFrom(0, 0, 100_000, 333_333, 1_000_000),
  tax_percent: fc.option(
    fc.oneof(
      fc.constantFrom(0, 55_000, 70_000, 190_000, 200_000).map((n) => decimal(n, 4)),
      fc.integer({ min: 0, max: 1_000_000 }).map((n) => decimal(n, 4)),
    ),
  ),
  tax_category: fc.constantFrom(null, 'S', 'Z'),
});

test('any items: amounts, breakdown, tax and total are those of exact fractions [CONTRACT §4 Lines and tax]', () => {
  const property = fc.property(fc.array(written, { minLength: 1, maxLength: 6 }), (lines) => {
    const sums = sumOf(lines.map(toLine));
    const right = expected(lines);
    expect([sums.total_cents, subtotal(sums), taxTotal(sums)].map(BigInt)).toEqual([
      right.total,
      right.subtotal,
      right.tax,
    ]);
    expect(
      taxBreakdown(sums).map((entry) => [entry.tax_percent, BigInt(entry.taxable_cents), BigInt(entry.tax_cents)]),
    ).toEqual(right.breakdown);
  });
  fc.assert(property, { numRuns: extent({ full: 1_000_000, part: 2000 }) });
});

test('items in any order, and after others were removed: the same sums [CONTRACT §4 Lines and tax]', () => {
  const lines = fc.array(written.map(toLine), { maxLength: 8 });
  const property = fc.property(lines, lines, fc.infiniteStream(fc.nat()), (kept, removed, order) => {
    const all = [...kept, ...removed].map((line) => ({ line, at: order.next().value })).sort((a, b) => a.at - b.at);
    const sums = all.reduce((sum, { line }) => addLine(sum, line), sumOf([]));
    expect(removed.reduce(removeLine, sums)).toEqual(sumOf(kept));
  });
  fc.assert(property);
});

/* The published examples of EN 16931 (ConnectingEurope/eInvoicing-EN16931, ubl/examples), in minor units. */

const line = (quantity: number, unit_amount_cents: number, tax_percent: number | null, tax_category = 'S'): Line => ({
  ...{ quantity, unit_amount_cents, discount_cents: 0, tax_percent, tax_category },
});
const nets = (percent: number, ...amounts: readonly number[]): Line[] =>
  amounts.map((cents) => line(1, cents, percent));

const EXAMPLES: readonly (readonly [name: string, lines: readonly Line[], ...totals: readonly number[]])[] = [
  ['example 3', [line(1, 80_000, 25), line(1, 10_000, 25), line(1, 80_000, 10)], 170_000, 30_500, 200_500],
  ['example 4', [line(1000, 100, 25), line(100, 500, 25), line(500, 500, 12)], 400_000, 67_500, 467_500],
  ['example 5', [{ ...line(1100, 100, 25), discount_cents: 10_000 }, line(100, 500, 25)], 150_000, 37_500, 187_500],
  ['example 7', [line(1, 250_000, null, 'O'), line(1, 70_000, null, 'O')], 320_000, 0, 320_000],
  [
    'example 8',
    nets(21, 14_080, 1616, 16_764, 8874, 3675, 5650, 8334, 19_031, 6421, 6446),
    ...[90_891, 19_087, 109_978],
  ],
  ['example 9', [line(3, 4900, 21)], 14_700, 3087, 17_787],
  ['guide, example 3', [line(1, 80_000, 25), line(1, 10_000, 25)], 90_000, 22_500, 112_500],
  ['an invoice of BIS 3', [line(1, 62_574_354, 25)], 62_574_354, 15_643_589, 78_217_943],
  ['an invoice of FatturaPA', [line(20, 6230, 22, 'B')], 124_600, 27_412, 152_012],
];

/** BR-CO-17: percent and taxable amount of each entry, and its tax. */
const TAXES = [
  [6, 18_323, 1099],
  [21, 4637, 974],
  [25, 146_050, 36_513],
  [15, 100, 15],
  [12, 250_000, 30_000],
  [0, 10_011, 0],
] as const;

describe('Examples of EN 16931', () => {
  test.each(EXAMPLES)(
    '%s: the sums of lines (BR-CO-10, BR-CO-13) and of tax (BR-CO-14) [CONTRACT §4 Lines and tax]',
    (_, lines, ...totals) => {
      const sums = sumOf(lines);
      expect(subtotal(sums)).toBe(lines.reduce((cents, one) => cents + lineAmount(one), 0));
      expect([subtotal(sums), taxTotal(sums), sums.total_cents]).toEqual(totals);
    },
  );

  test.each(TAXES)('%f %% of %i: %i (BR-CO-17) [CONTRACT §4 Lines and tax]', (tax_percent, taxable_cents, tax) => {
    expect(taxOf({ tax_percent, taxable_cents })).toBe(tax);
  });
});
