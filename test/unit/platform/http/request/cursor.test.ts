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

test('a cursor with a character altered, removed or added, or an invented one: 400 invalid-cursor [CONTRACT §5]', () => {
  const cursor = encodeCursor(at(1_234_567_890_123), 'a list');
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=%. \n\0é😀';
  for (let i = 0; i <= cursor.length; i++) {
    if (i < cursor.length) expectInvalid(cursor.slice(0, i), 'a list');
    if (i < cursor.length) expectInvalid(cursor.slice(0, i) + cursor.slice(i + 1), 'a list');
    for (const character of characters)
      if (character !== cursor[i]) expectInvalid(cursor.slice(0, i) + character + cursor.slice(i + 1), 'a list');
  }
  fc.assert(
    fc.property(position, list, fc.string({ minLength: 1 }), fc.nat(30), (row, of, more, i) => {
      const whole = encodeCursor(row, of);
      expectInvalid(whole.slice(0, i) + more + whole.slice(i), of);
      expectInvalid(more, of);
    }),
  );
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

const ROW = { id: 42, version: 1, due_date: '2026-01-31' };

const listing = (query: Parameters, after?: string): Listing => {
  const { listing, violations } = parse({ status: 'open', ...query, ...(after && { after }) });
  expect(violations).toEqual([]);
  return listing;
};

test('a correctly sealed cursor with a date where none is, or with none where one is: 400 invalid-cursor', () => {
  const sorted = { sort: 'due_date' };
  for (const due_date of ['', '2026-02-30', 'x', `2026-01-31${'0'.repeat(2000)}`]) {
    const { pagination } = toEnvelope(listing(sorted), { rows: [{ ...ROW, due_date } as typeof ROW], has_more: true });
    expect(problemOf(() => listing(sorted, pagination.next_cursor as string)).code).toBe('invalid-cursor');
  }
  const dated = encodeCursor({ id: 42, date: '2026-01-31' }, listing({}).cursorScope);
  expect(problemOf(() => listing({}, dated)).code).toBe('invalid-cursor');
});
