import * as v from 'valibot';
import { DEFAULT_CURRENCY } from '#shared/invoicing/invoices/rules.ts';
import { isObject } from '#shared/platform/entity.ts';
import { moneyName } from '#shared/platform/wire/money.ts';
import { type CrossFieldRule, Currency, type JsonObject } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';

/** An amount and its currency in a body. */
interface Sent {
  readonly amount?: unknown;
  readonly currency?: unknown;
}

/**
 * The total of a new invoice is the sum of its items, in one currency (CONTRACT §4 Invoice rules). The rule reads a body
 * as it was sent, and ignores a value that is not valid in its schema: the schema reports the violation.
 */
const sumOfItems = (nameOf: (amount: string) => string, read: (value: unknown) => Sent): CrossFieldRule => ({
  check: (body) => {
    if (!Array.isArray(body['items']) || body['items'].length === 0) return [];
    const [total, unitAmount] = [nameOf('total_cents'), nameOf('unit_amount_cents')];
    const { amount, currency = DEFAULT_CURRENCY } = read(body[total]);
    const items = body['items'].map((item: unknown): JsonObject => (isObject(item) ? item : {}));
    const sum = items.reduce((cents, { quantity = 1, [unitAmount]: price }) => {
      return cents + product(quantity, read(price).amount);
    }, 0);
    const violations = items.flatMap(({ [unitAmount]: price }, i) => {
      const other = read(price).currency;
      if (other === undefined || other === currency || ![currency, other].every((code) => v.is(Currency, code)))
        return [];
      const path = ['items', String(i), unitAmount, 'currency'];
      return [{ path, message: issue('not-allowed', `must be ${currency}, like the total`) }];
    });
    if (sum > MAX_CENTS) {
      violations.push({ path: ['items'], message: issue('out-of-range', `must have a sum of at most ${MAX_CENTS}`) });
    } else if (isInteger(amount) && amount !== sum && isInteger(sum)) {
      violations.push({
        path: [total],
        message: issue('not-allowed', `must be ${sum}, the sum of the items, or absent`),
      });
    }
    return violations;
  },
  keywords: {},
});

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

const product = (a: unknown, b: unknown): number => (isInteger(a) && isInteger(b) ? a * b : Number.NaN);

/** The rule for each version. */
export const SUM_OF_ITEMS = {
  v1: sumOfItems(
    (name) => name,
    (amount) => ({ amount }),
  ),
  v2: sumOfItems(moneyName, (money) => (isObject(money) ? money : {})),
};
