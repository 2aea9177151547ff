import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { DUE_PARTITIONS, indexKey, indexKeys } from '#shared/platform/dynamodb/table.ts';
import fc from '#test/support/random/fast-check.ts';

const account = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const long = 'x'.repeat(1000);

test('different accounts or lists of texts: different index keys [§5, CONTRACT §4]', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 95, maxLength: 105 }),
    fc.constantFrom('', '#', 'a#', '#a', 'a#a', 'acct_2#a', 'sha256:', long, `${long}y`, `y${long}`),
  );
  const texts = fc.array(text, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(account, account, texts, texts, (owner, otherOwner, one, other) => {
      fc.pre(owner !== otherOwner && JSON.stringify(one) !== JSON.stringify(other));
      const key = indexKey(owner, one);
      expect(indexKey(owner, one)).toBe(key);
      expect([indexKey(owner, other), indexKey(otherOwner, one), indexKey(otherOwner, other)]).not.toContain(key);
    }),
    { examples: [['a', 'b', ['a#', 'a'], ['a', '#a']]] },
  );
});

test('a text that equals the index key of another text: another partition [CONTRACT §4]', () => {
  const partOf = (text: string) => indexKey('a', [text]).slice('a#'.length);
  for (const text of [long, 'x'.repeat(101), '#', partOf(long)]) expect(partOf(partOf(text))).not.toBe(partOf(text));
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

test('a row without an attribute of an index: not in that index [CONTRACT §4]', () => {
  const invoice = { id: 7, status: 'open', customer_id: null, due_date: null };
  expect(indexKeys(tables.invoices, 'acct_1', invoice)).toEqual({ by_status: 'acct_1#open' });
  expect(indexKeys(tables.customers, 'acct_1', { id: 7, email: null })).toEqual({});
  expect(indexKeys(tables.exports, 'acct_1', { id: 7 })['by_due_at']).toBeUndefined();
});

test('the partitions of due rows: accounts use all partitions [CONTRACT §9]', () => {
  const partitionOf = (i: number) => indexKeys(tables.exports, `acct_${i}`, { due_at: i })['by_due_at'];
  const partitions = Array.from({ length: 500 }, (_, i) => partitionOf(i));
  expect(new Set(partitions)).toEqual(new Set(DUE_PARTITIONS));
  expect(partitions).toEqual(Array.from({ length: 500 }, (_, i) => partitionOf(i)));
});
