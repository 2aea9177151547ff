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

test('a cursor in a URL: needs no encoding', () => {
  fc.assert(
    fc.property(position, list, (row, of) => encodeURIComponent(encodeCursor(row, of)) === encodeCursor(row, of)),
  );
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

const LISTS: Partial<typeof DEFAULTS>[] = [
  {},
  { path: '/v2/invoices' },
  { path: '/v1/payments' },
  { path: '/v1/invoices/1/payments', query: {} },
  { path: '/v1/invoices/2/payments', query: {} },
  { account: 'acct_2' },
  { query: {} },
  { query: { status: 'open' } },
  { query: { status: 'paid', customer_id: '7' } },
  { query: { status: 'open', customer_id: '8' } },
  { query: { customer_id: '7' } },
  { query: { status: 'open', customer_id: '7', sort: '-id' } },
  ...['due_date', '-due_date'].flatMap((sort) => [
    { query: { status: 'open', sort } },
    { query: { status: 'paid', sort } },
    { query: { status: 'open', sort, due_from: '2026-01-01' } },
    { query: { status: 'open', sort, due_before: '2026-01-01' } },
  ]),
  { path: '/v1/customers', query: {} },
  { path: '/v1/customers', query: { email: '1@b' } },
  { path: '/v1/customers', query: { email: 'a@7' } },
  { path: '/v1/customers', query: { email: 'a@b' } },
  { path: '/v1/customers', query: { email: 'a@b"],"descending' } },
];

test('a cursor with another version, collection, filter, order or account: 400 invalid-cursor [CONTRACT §5]', () => {
  for (const one of LISTS) {
    for (const other of LISTS) {
      if (one === other) expect(listing(other, cursorOf(one)).request).toMatchObject({ after: 42 });
      else expect(problemOf(() => listing(other, cursorOf(one))).code).toBe('invalid-cursor');
    }
  }
});

test('a cursor of a list by date: names the row and its date [CONTRACT §5]', () => {
  const query = { status: 'open', sort: 'due_date' };
  const { request } = listing({ query }, cursorOf({ query }));
  expect(request).toMatchObject({ after: 42, sort: { by: 'due_date', after: ROW.due_date } });
});

test('a correctly sealed cursor with a date in a list by id, or without a date in a list by date: 400 invalid-cursor', () => {
  const sorted = { query: { status: 'open', sort: 'due_date' } };
  for (const due_date of ['', '2026-02-30', 'x', `2026-01-31${'0'.repeat(2000)}`])
    expect(problemOf(() => listing(sorted, cursorOf(sorted, { ...ROW, due_date }))).code).toBe('invalid-cursor');
  const { cursorScope } = listing({});
  const dated = encodeCursor({ id: 42, date: '2026-01-31' }, cursorScope);
  expect(problemOf(() => listing({}, dated)).code).toBe('invalid-cursor');
});

test('a cursor with another limit, other fields or another order of parameters: accepted [CONTRACT §5]', () => {
  for (const query of [
    { customer_id: '7', status: 'open' },
    { status: 'open', customer_id: '7', limit: '3', fields: 'id' },
    { status: 'open', customer_id: '7', sort: 'id' },
  ]) {
    expect(listing({ query }, cursorOf({})).request).toMatchObject({ after: 42 });
  }
});
