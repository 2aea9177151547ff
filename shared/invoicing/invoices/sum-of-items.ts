import * as v from 'valibot';
import { grossAmount, type Line, sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import { Quantity, TaxCategory, TaxPercent } from '#shared/invoicing/invoice-items/resource.ts';
import { DEFAULT_CURRENCY } from '#shared/invoicing/invoices/rules.ts';
import { isObject } from '#shared/platform/entity.ts';
import { moneyName } from '#shared/platform/wire/money.ts';
import { type CrossFieldRule, Currency, cents, type JsonObject, nullable } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';

/** An amount and its currency in a body. */
interface Sent {
  readonly amount?: unknown;
  readonly currency?: unknown;
}

/** How a version writes amounts. */
interface Form {
  readonly nameOf: (amount: string) => string;
  readonly read: (value: unknown) => Sent;
  /** The path from the member to its amount. */
  readonly toAmount: readonly string[];
}

type Violations = ReturnType<CrossFieldRule['check']>;

const LineSchema = v.object({
  quantity: Quantity,
  unit_amount_cents: cents(),
  discount_cents: cents(),
  tax_percent: nullable(TaxPercent),
  tax_category: nullable(TaxCategory),
});

/**
 * The total of a new invoice is the sum of its items, in one currency, and no discount exceeds its item (CONTRACT §4 Invoice
 * rules). The rule reads a body as it was sent, and ignores a value that is not valid in its schema: the schema reports the
 * violation.
 */
const sumOfItems = ({ nameOf, read, toAmount }: Form): CrossFieldRule => {
  const [total, unitAmount, discount] = ['total_cents', 'unit_amount_cents', 'discount_cents'].map(nameOf) as [
    string,
    string,
    string,
  ];
  const lineOf = ({ quantity = 1, tax_percent = null, tax_category = null, ...item }: JsonObject): Line | undefined => {
    const unit_amount_cents = read(item[unitAmount]).amount;
    const discount_cents = item[discount] === undefined ? 0 : read(item[discount]).amount;
    const line = { quantity, unit_amount_cents, discount_cents, tax_percent, tax_category };
    return v.is(LineSchema, line) ? (line as Line) : undefined;
  };
  const currencyViolations = (currency: unknown, item: JsonObject, i: number): Violations =>
    [unitAmount, discount].flatMap((name) => {
      const other = read(item[name]).currency;
      if (other === undefined || other === currency || ![currency, other].every((code) => v.is(Currency, code)))
        return [];
      const message = issue('not-allowed', `must be ${currency}, like the total`);
      return [{ path: ['items', String(i), name, 'currency'], message }];
    });
  const discountViolations = (line: Line | undefined, i: number): Violations => {
    if (!line || line.discount_cents <= grossAmount(line)) return [];
    const message = issue('out-of-range', `must be at most ${grossAmount(line)}, the quantity times the price`);
    return [{ path: ['items', String(i), discount, ...toAmount], message }];
  };
  const sumViolations = (lines: readonly (Line | undefined)[], amount: unknown): Violations => {
    const valid = lines.filter((line) => line !== undefined);
    const sum = sumOf(valid).total_cents;
    if (sum > MAX_CENTS)
      return [{ path: ['items'], message: issue('out-of-range', `must have a sum of at most ${MAX_CENTS}`) }];
    if (valid.length < lines.length || !Number.isSafeInteger(amount) || amount === sum) return [];
    return [{ path: [total], message: issue('not-allowed', `must be ${sum}, the sum of the items, or absent`) }];
  };
  return {
    check: (body) => {
      if (!Array.isArray(body['items']) || body['items'].length === 0) return [];
      const { amount, currency = DEFAULT_CURRENCY } = read(body[total]);
      const items = body['items'].map((item: unknown): JsonObject => (isObject(item) ? item : {}));
      const lines = items.map(lineOf);
      return [
        ...items.flatMap((item, i) => currencyViolations(currency, item, i)),
        ...lines.flatMap(discountViolations),
        ...sumViolations(lines, amount),
      ];
    },
    keywords: {},
  };
};

/** The rule for each version. */
export const SUM_OF_ITEMS = {
  v1: sumOfItems({ nameOf: (name) => name, read: (amount) => ({ amount }), toAmount: [] }),
  v2: sumOfItems({ nameOf: moneyName, read: (money) => (isObject(money) ? money : {}), toAmount: ['amount'] }),
};
