import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { DUE_PARTITIONS, indexKey, indexKeys, parseSortKey, sortKey } from '#shared/platform/dynamodb/table.ts';
import fc from '#test/support/random/fast-check.ts';
import { customer as anyCustomer, invoice as anyInvoice, id } from '#test/unit/invoicing/arbitrary.ts';

const account = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const long = 'x'.repeat(1000);

test('any values in two accounts: different index keys, so neither account reaches the other’s rows [§5]', () => {
  const email = fc.oneof(fc.string(), fc.constantFrom('#', 'acct_2#a', 'a#acct_2', long));
  fc.assert(
    fc.property(account, account, email, email, (one, other, first, second) => {
      fc.pre(one !== other);
      expect(indexKey(one, [first])).not.toBe(indexKey(other, [second]));
    }),
  );
});

test('different values: different partitions [CONTRACT §4]', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 95, maxLength: 105 }),
    fc.constantFrom(long, `${long}y`, `y${long}`),
  );
  fc.assert(
    fc.property(account, text, text, (of, one, other) => {
      fc.pre(one !== other);
      expect(indexKey(of, [one])).not.toBe(indexKey(of, [other]));
      expect(indexKey(of, [one])).toBe(indexKey(of, [one]));
    }),
  );
  expect(indexKey('a', [1, 'open'])).not.toBe(indexKey('a', [11, 'open']));
});

test('a text that equals the index key of another text: another partition [CONTRACT §4]', () => {
  const partOf = (text: string) => indexKey('a', [text]).slice('a#'.length);
  for (const text of [long, 'x'.repeat(101), '#', partOf(long)]) expect(partOf(partOf(text))).not.toBe(partOf(text));
});

test('different lists of texts: different partitions [CONTRACT §4]', () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom('', '#', 'a#', '#a', 'a#a', 'sha256:', long)), {
    minLength: 2,
    maxLength: 2,
  });
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      expect(indexKey('a', one)).not.toBe(indexKey('a', other));
    }),
    {
      examples: [
        [
          ['a#', 'a'],
          ['a', '#a'],
        ],
      ],
    },
  );
});

test('an email of any length: an index key within DynamoDB’s 2,048 bytes', () => {
  for (const character of ['x', 'ä', '漢', '😀', '#']) {
    for (const length of [0, 1, 50, 99, 100, 101, 999, 1000]) {
      const email = character.repeat(length);
      const key = indexKey('a'.repeat(64), [email]);
      expect(Buffer.byteLength(key)).toBeLessThanOrEqual(2048);
      expect(key).not.toBe('');
    }
  }
});

test('a row: in an index exactly when it has all attributes of the index [CONTRACT §4]', () => {
  fc.assert(
    fc.property(anyInvoice, anyCustomer, (invoice, customer) => {
      const keys = indexKeys(tables.invoices, 'acct_1', { ...invoice });
      expect(keys).toEqual({
        by_status: `acct_1#${invoice.status}`,
        by_customer_id: invoice.customer_id === null ? undefined : `acct_1#${invoice.customer_id}`,
        by_customer_id_status:
          invoice.customer_id === null ? undefined : `acct_1#${invoice.customer_id}#${invoice.status}`,
        due_date_id: invoice.due_date === null ? undefined : sortKey(invoice.due_date, invoice.id),
      });
      const { by_email } = indexKeys(tables.customers, 'acct_1', { ...customer });
      expect(by_email === undefined).toBe(customer.email === null);
    }),
  );
});

test('the sort keys of two rows: in the order of their dates, then of their ids [CONTRACT §4]', () => {
  const row = fc.record({ date: fc.constantFrom('0000-01-01', '2026-01-31', '2026-02-01', '9999-12-31'), id });
  const order = <T>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0);
  fc.assert(
    fc.property(row, row, (one, other) => {
      const [first, second] = [sortKey(one.date, one.id), sortKey(other.date, other.id)];
      expect(order(first, second)).toBe(order(one.date, other.date) || order(one.id, other.id));
      expect(parseSortKey(first)).toEqual(one);
    }),
  );
});

test('an export: in the index of due exports exactly when it has a due_at [CONTRACT §9]', () => {
  expect(indexKeys(tables.exports, 'acct_1', { due_at: 7 })['by_due_at']).toMatch(/^due#\d+$/);
  expect(indexKeys(tables.exports, 'acct_1', {})['by_due_at']).toBe(undefined);
});

test('the partitions of due rows: accounts use all partitions [CONTRACT §9]', () => {
  const partitionOf = (i: number) => indexKeys(tables.exports, `acct_${i}`, { due_at: i })['by_due_at'];
  const partitions = Array.from({ length: 500 }, (_, i) => partitionOf(i));
  expect(new Set(partitions)).toEqual(new Set(DUE_PARTITIONS));
  expect(partitions).toEqual(Array.from({ length: 500 }, (_, i) => partitionOf(i)));
});
