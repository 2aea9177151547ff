import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor } from '#shared/platform/http/request/cursor.ts';
import { toEnvelope } from '#shared/platform/http/request/page-envelope.ts';
import type { Listing } from '#shared/platform/http/request/pagination.ts';
import fc from '#test/support/random/fast-check.ts';
import { id } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';
import { type Parameters, parse } from './listing.ts';

const list = fc.string();
const isText = () => true;
const position = fc.record({ id, date: fc.constantFrom('', '2026-01-31', 'é') });
const at = (row: number) => ({ id: row, date: '' });
const expectInvalid = (cursor: string, of: string) =>
  expect(problemOf(() => decodeCursor(cursor, of, isText)).code).toBe('invalid-cursor');

test('a cursor passed back unchanged: identifies the same row [§4]', () => {
  const expectSame = (row: ReturnType<typeof at>, of: string) =>
    expect(decodeCursor(encodeCursor(row, of), of, isText)).toEqual(row);
  fc.assert(fc.property(position, list, expectSame));
  for (const row of [1, Number.MAX_SAFE_INTEGER]) expectSame(at(row), '');
});

test('a cursor with any one character altered: 400 invalid-cursor [CONTRACT §5]', () => {
  const cursor = encodeCursor(at(1_234_567_890_123), 'a list');
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=%. \0é😀';
  for (let i = 0; i < cursor.length; i++) {
    for (const character of characters) {
      if (character !== cursor[i]) expectInvalid(cursor.slice(0, i) + character + cursor.slice(i + 1), 'a list');
    }
  }
});

test('a shortened, lengthened or invented cursor: 400 invalid-cursor [CONTRACT §5]', () => {
  const cursor = encodeCursor(at(1_234_567_890_123), 'a list');
  for (let i = 0; i < cursor.length; i++) {
    expectInvalid(cursor.slice(0, i), 'a list');
    expectInvalid(cursor.slice(i + 1), 'a list');
    expectInvalid(cursor.slice(0, i) + cursor.slice(i + 1), 'a list');
  }
  fc.assert(
    fc.property(position, list, fc.string({ minLength: 1 }), fc.nat(30), (row, of, more, i) => {
      const whole = encodeCursor(row, of);
      expectInvalid(whole.slice(0, i) + more + whole.slice(i), of);
      expectInvalid(more, of);
    }),
  );
  for (const more of ['=', '==', '\n', ' ', 'A']) expectInvalid(cursor + more, 'a list');
});

test('a correctly sealed cursor of a number that is no id: 400 invalid-cursor [CONTRACT §5]', () => {
  for (const row of [2 ** 53, 2 ** 60]) expectInvalid(encodeCursor(at(row), 'a list'), 'a list');
});

test('a cursor of another list: 400 invalid-cursor [CONTRACT §5]', () => {
  fc.assert(
    fc.property(position, list, list, (row, one, other) => {
      fc.pre(one !== other);
      expectInvalid(encodeCursor(row, one), other);
    }),
  );
});

const DEFAULTS = {
  account: 'acct_1',
  path: '/v1/invoices',
  query: { status: 'open', customer_id: '7' } as Parameters,
};

const listing = (changes: Partial<typeof DEFAULTS>, after?: string): Listing => {
  const { account, path, query } = { ...DEFAULTS, ...changes };
  const { listing, violations } = parse({ ...query, ...(after && { after }) }, path, account);
  expect(violations).toEqual([]);
  return listing;
};

const ROW = { id: 42, version: 1, due_date: '2026-01-31' };

const cursorOf = (changes: Partial<typeof DEFAULTS>, row: typeof ROW = ROW): string => {
  const { pagination } = toEnvelope(listing(changes), { rows: [row], has_more: true });
  return pagination.next_cursor as string;
};

test('a correctly sealed cursor with a date where none is, or with none where one is: 400 invalid-cursor', () => {
  const sorted = { query: { status: 'open', sort: 'due_date' } };
  for (const due_date of ['', '2026-02-30', 'x', `2026-01-31${'0'.repeat(2000)}`])
    expect(problemOf(() => listing(sorted, cursorOf(sorted, { ...ROW, due_date }))).code).toBe('invalid-cursor');
  const { cursorScope } = listing({});
  const dated = encodeCursor({ id: 42, date: '2026-01-31' }, cursorScope);
  expect(problemOf(() => listing({}, dated)).code).toBe('invalid-cursor');
});
