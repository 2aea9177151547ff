/*
 * The arithmetic of lines and tax (CONTRACT §4 Lines and tax). It is exact: a decimal becomes an integer of its last digit,
 * and each amount is rounded once, half away from zero. Amounts are in minor units, and never negative.
 */

/** What an item charges for. Prices are net of tax. */
export interface Line {
  /** At most 6 decimals. */
  quantity: number;
  unit_amount_cents: number;
  discount_cents: number;
  /** At most 4 decimals; null without tax. */
  tax_percent: number | null;
  tax_category: string | null;
}

/** The lines with one percent and category. */
export interface TaxSum extends Pick<Line, 'tax_category'> {
  readonly tax_percent: number;
  readonly taxable_cents: number;
  readonly line_count: number;
}

/** What an invoice keeps of its lines, so that a change of one line reads no other. */
export interface LineSums {
  /** The sum of the lines and their tax. */
  readonly total_cents: number;
  /** Ascending by percent, then by category, null first. */
  readonly tax_sums: readonly TaxSum[];
}

export const NO_LINES: LineSums = { total_cents: 0, tax_sums: [] };

export const QUANTITY_DECIMALS = 6;
export const PERCENT_DECIMALS = 4;

/** The product is off by far less than half: it is at most 10^12, and its relative error is at most 2^-52. */
const toInteger = (value: number, decimals: number): bigint => BigInt(Math.round(value * 10 ** decimals));

const divide = (dividend: bigint, divisor: bigint): number => Number((2n * dividend + divisor) / (2n * divisor));

export const grossAmount = ({ quantity, unit_amount_cents }: Pick<Line, 'quantity' | 'unit_amount_cents'>): number =>
  divide(toInteger(quantity, QUANTITY_DECIMALS) * BigInt(unit_amount_cents), 10n ** BigInt(QUANTITY_DECIMALS));

/** The amount without tax. */
export const lineAmount = (line: Pick<Line, 'quantity' | 'unit_amount_cents' | 'discount_cents'>): number =>
  grossAmount(line) - line.discount_cents;

/** Rounded once for each entry, never for each line (EN 16931, BR-CO-17). */
export const taxOf = ({ tax_percent, taxable_cents }: Pick<TaxSum, 'tax_percent' | 'taxable_cents'>): number =>
  divide(toInteger(tax_percent, PERCENT_DECIMALS) * BigInt(taxable_cents), 100n * 10n ** BigInt(PERCENT_DECIMALS));

export const taxBreakdown = ({ tax_sums }: Pick<LineSums, 'tax_sums'>) =>
  tax_sums.map((sum) => {
    const { tax_percent, tax_category, taxable_cents } = sum;
    return { tax_percent, tax_category, taxable_cents, tax_cents: taxOf(sum) };
  });

export const taxTotal = ({ tax_sums }: Pick<LineSums, 'tax_sums'>): number =>
  tax_sums.reduce((cents, sum) => cents + taxOf(sum), 0);

export const subtotal = (sums: LineSums): number => sums.total_cents - taxTotal(sums);

export const sumOf = (lines: readonly Line[]): LineSums => lines.reduce(addLine, NO_LINES);

export const addLine = (sums: LineSums, line: Line): LineSums => withLine(sums, line, 1);

export const removeLine = (sums: LineSums, line: Line): LineSums => withLine(sums, line, -1);

const withLine = (sums: LineSums, line: Line, sign: 1 | -1): LineSums => {
  const amount = sign * lineAmount(line);
  const tax_sums = withTaxable(sums.tax_sums, line, amount, sign);
  return { total_cents: subtotal(sums) + amount + taxTotal({ tax_sums }), tax_sums };
};

const withTaxable = (
  tax_sums: readonly TaxSum[],
  { tax_percent, tax_category }: Line,
  cents: number,
  count: number,
): readonly TaxSum[] => {
  if (tax_percent === null) return tax_sums;
  const isSame = (sum: TaxSum) => sum.tax_percent === tax_percent && sum.tax_category === tax_category;
  const { taxable_cents, line_count } = tax_sums.find(isSame) ?? { taxable_cents: 0, line_count: 0 };
  const sum = { tax_percent, tax_category, taxable_cents: taxable_cents + cents, line_count: line_count + count };
  const others = tax_sums.filter((one) => !isSame(one));
  return sum.line_count === 0 ? others : [...others, sum].sort(byTax);
};

const byTax = (a: TaxSum, b: TaxSum): number =>
  a.tax_percent - b.tax_percent || ((a.tax_category ?? '') < (b.tax_category ?? '') ? -1 : 1);
