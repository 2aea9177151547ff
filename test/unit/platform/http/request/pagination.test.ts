import { expect, test } from '@jest/globals';
import type { Entity } from '#shared/platform/entity.ts';
import { toEnvelope } from '#shared/platform/http/request/page-envelope.ts';
import { parseQuery } from '#shared/platform/http/request/query.ts';
import type { Page } from '#shared/platform/store/page.ts';
import fc from '#test/support/random/fast-check.ts';
import { email } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';
import { type Parameters, parse } from './listing.ts';

const faults = (parameters: Parameters): unknown[] =>
  parse(parameters).violations.map((violation) => 'parameter' in violation && violation.parameter);

test('no parameter or limit: cursor style; page or per_page: offset style; 20 rows by default [CONTRACT §5]', () => {
  const selection = { filter: {}, order: 'ascending', attributes: undefined };
  expect(parse({}).listing.request).toEqual({ style: 'cursor', limit: 20, after: undefined, ...selection });
  expect(parse({ limit: '7' }).listing.request).toMatchObject({ style: 'cursor', limit: 7 });
  expect(parse({ page: '3' }).listing.request).toEqual({ style: 'offset', page: 3, per_page: 20, ...selection });
  expect(parse({ per_page: '7' }).listing.request).toMatchObject({ style: 'offset', page: 1, per_page: 7 });
});

const NO_NUMBER = ['0', '', '-1', '1.5', '1e1', ' 1', '+1', '0x10', '１', '99999999999999999999'];

test.each<[string, accepted: string[], refused: string[]]>([
  ['limit', ['1', '100'], ['101', ...NO_NUMBER]],
  ['per_page', ['1', '100'], ['101', ...NO_NUMBER]],
  ['page', ['1', '9007199254740991'], ['9007199254740992', ...NO_NUMBER]],
  ['sort', ['id', '-id'], ['', '+id', 'id,-id', 'created_at', '--id', 'total_cents']],
  ['status', ['open'], ['void', '', 'constructor']],
  ['customer_id', ['1', '9007199254740991'], ['9007199254740992', '0', '01', 'null', 'abc', '']],
])('a list with %s: %j are accepted, and %j are 422, never clamped [CONTRACT §5, §12]', (name, accepted, refused) => {
  for (const value of accepted) expect([value, faults({ [name]: value })]).toEqual([value, []]);
  for (const value of refused) expect([value, faults({ [name]: value })]).toEqual([value, [name]]);
});

const PLUS = /%2B$/;
const NO_PLUS = /^(?!.*%2B)/;

test.each<[string, path: string, Parameters, RegExp]>([
  ['the sign of an offset', '/v1/invoices', { created_from: '2026-11-25T00:00:00 02:00' }, PLUS],
  ['the T of a time', '/v1/invoices', { created_from: '2026-11-25 00:00:00Z' }, NO_PLUS],
  ['the T and the sign', '/v1/invoices', { created_before: '2026-11-25 00:00:00 02:00' }, NO_PLUS],
  ['another form of a time', '/v1/invoices', { created_before: 'Wed, 25 Nov 2026 00:00:00 GMT' }, NO_PLUS],
  ['a status', '/v1/invoices', { status: 'op en' }, NO_PLUS],
  ['an email', '/v1/customers', { email: 'pat x@example.com' }, PLUS],
  ['a text without @', '/v1/customers', { email: 'pat x' }, PLUS],
])(
  'a blank in place of %s: the detail speaks of a lost + only where a + is valid [CONTRACT §4]',
  (_, path, query, text) => {
    expect(parse(query, path).violations).toEqual([expect.objectContaining({ detail: expect.stringMatching(text) })]);
  },
);

test('page or per_page together with limit: 422 [CONTRACT §5]', () => {
  for (const offset of ['page', 'per_page']) expect(faults({ [offset]: '1', limit: '1' })).toEqual([offset]);
});

test('several violations in a query: all reported at once [CONTRACT §10]', () => {
  const all = { page: '0', per_page: '101', limit: '0', sort: 'x', status: 'y', customer_id: 'z' };
  expect(faults(all).sort()).toEqual(['customer_id', 'limit', 'page', 'page', 'per_page', 'sort', 'status']);
});

test('filters that no index serves together, or alone: 422 that names a filter [CONTRACT §4]', () => {
  const refusalsOf = (parameters: Parameters, indexes: readonly (readonly string[])[]) =>
    parse(parameters, '/v1/invoices', 'acct_1', indexes).violations;
  const both = { status: 'open', customer_id: '1' };
  expect(refusalsOf(both, [['status'], ['customer_id'], ['customer_id', 'status']])).toEqual([]);
  expect(refusalsOf(both, [['status'], ['customer_id']])).toEqual([
    { parameter: 'customer_id', code: 'not-allowed', detail: 'no index has these filters' },
  ]);
  expect(refusalsOf({ status: 'open' }, [['customer_id', 'status']])).toEqual([
    { parameter: 'status', code: 'not-allowed', detail: 'no index has these filters' },
  ]);
});

test('an empty after: 400 invalid-cursor [CONTRACT §12]', () => {
  expect(problemOf(() => parse({ after: '' })).code).toBe('invalid-cursor');
});

test('a filter by a text: its value verbatim; a filter by an id: a number [CONTRACT §4]', () => {
  expect(parse({ status: 'paid', customer_id: '12' }).listing.request.filter).toEqual({
    status: 'paid',
    customer_id: 12,
  });
  fc.assert(
    fc.property(email, (email) => {
      expect(parse({ email }, '/v1/customers').listing.request.filter).toEqual({ email });
    }),
  );
});

test.each([
  [`${'é'.repeat(318)}@x`, []],
  [`${'é'.repeat(319)}@x`, [expect.objectContaining({ parameter: 'email', code: 'too-long' })]],
])('a filter by an email: the limit of the field [CONTRACT §4]', (email, violations) => {
  expect(parse({ email }, '/v1/customers').violations).toEqual(violations);
});

const DUE = { sort: 'due_date', status: 'open' };

test.each<[Parameters, string[]]>([
  [DUE, []],
  [{ ...DUE, sort: '-due_date', limit: '1', due_from: '2026-01-31', due_before: '2026-01-01' }, []],
  [{ sort: 'due_date' }, ['status']],
  [{ ...DUE, status: 'void' }, ['status']],
  [{ ...DUE, customer_id: '7' }, ['customer_id']],
  [
    { ...DUE, created_from: '2026-01-01T00:00:00Z', created_before: '2026-01-01T00:00:00Z' },
    ['created_from', 'created_before'],
  ],
  [{ ...DUE, page: '1', per_page: '1' }, ['page', 'per_page']],
  [{ ...DUE, due_from: '2026-02-30', due_before: '' }, ['due_from', 'due_before']],
  [{ ...DUE, due_from: '0', due_before: 'null' }, ['due_from', 'due_before']],
  [{ status: 'open', due_from: '2026-01-01', due_before: '2026-01-01' }, ['due_from', 'due_before']],
  [{ ...DUE, sort: 'id', due_from: '2026-01-01' }, ['due_from']],
  [{ ...DUE, sort: 'due', due_before: '2026-01-01' }, ['sort', 'due_before']],
])('invoices with %j: 422 at %j [CONTRACT §4]', (parameters, expected) => {
  expect(faults(parameters).sort()).toEqual(expected.toSorted());
});

/** The targets of a `Link` header by relation (RFC 8288 §3). */
const linksOf = (header: string): Map<string, string> => {
  const links = new Map<string, string>();
  const link = /^<([^<>"\s]*)>\s*;\s*rel="([a-z]+)"\s*(?:,\s*(?=<)|$)/;
  for (let rest = header; rest !== ''; ) {
    const [whole, target, relation] = link.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`This is not a link: ${rest}`);
    expect(links.has(relation as string)).toBe(false);
    links.set(relation as string, target as string);
    rest = rest.slice(whole.length);
  }
  return links;
};

const parametersOf = (target = ''): Parameters => Object.fromEntries(parseQuery(target.split('?')[1] as string));

/** Parameters of a valid list, with values that a link must escape. */
const others = fc.record(
  {
    email: fc.oneof(email, fc.constantFrom('a>b<c@x', '";rel="next",<x>@y', 'a&b=c@x', '100%+1@x', 'ä,😀@x')),
    fields: fc.constantFrom('id', 'name,id'),
    sort: fc.constantFrom('id', '-id'),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Parameters>;

const member = { id: 42, version: 1, created_at: '', updated_at: '' };

const envelopeOf = (parameters: Parameters, page: Page<Entity>) => {
  const { listing, violations } = parse(parameters, '/v1/customers');
  expect(violations).toEqual([]);
  return toEnvelope(listing, page);
};

test('offset style: Link has first, last, prev and next, and keeps every other parameter [CONTRACT §5]', () => {
  const pages = fc.record({
    page: fc.integer({ min: 1, max: 12 }),
    size: fc.option(fc.integer({ min: 1, max: 30 })),
    total: fc.nat(100),
  });
  fc.assert(
    fc.property(others, pages, (more, { page, size, total }) => {
      const sent = { ...more, page: String(page), ...(size && { per_page: String(size) }) };
      const { pagination, link = '' } = envelopeOf(sent, { rows: [], total_count: total });
      expect(pagination).toEqual({ page, per_page: size ?? 20, total_count: total });

      const final = Math.max(1, Math.ceil(total / (size ?? 20)));
      const expected: Record<string, number> = { first: 1, last: final };
      if (page > 1) expected['prev'] = Math.min(page - 1, final);
      if (page < final) expected['next'] = page + 1;
      const links = linksOf(link);
      expect([...links.keys()].sort()).toEqual(Object.keys(expected).sort());
      for (const [relation, target] of links) {
        expect(target.split('?')[0]).toBe('/v1/customers');
        expect(parametersOf(target)).toEqual({ ...sent, page: String(expected[relation]) });
      }
    }),
  );
});

test('cursor style: Link has next while there are more rows, and keeps every other parameter [CONTRACT §5]', () => {
  fc.assert(
    fc.property(others, fc.option(fc.integer({ min: 1, max: 100 })), fc.boolean(), (more, limit, has_more) => {
      const sent = { ...more, ...(limit && { limit: String(limit) }) };
      const { pagination, link } = envelopeOf(sent, { rows: [member], has_more });
      if (!has_more) {
        expect([pagination, link]).toEqual([{ next_cursor: null, has_more: false }, undefined]);
        return;
      }
      const { next_cursor } = pagination;
      const links = linksOf(link as string);
      expect([...links.keys()]).toEqual(['next']);
      expect(parametersOf(links.get('next'))).toEqual({ ...sent, after: next_cursor });
      // The link leads to the page after the last row of this one.
      expect(parse(parametersOf(links.get('next')), '/v1/customers').listing.request).toMatchObject({
        after: member.id,
      });
    }),
  );
});

test.each([
  ['which leave room for all relations', `${'é'.repeat(98)}@x`, ['next', 'prev', 'first', 'last']],
  ['which leave room for one', `${'😀'.repeat(318)}@x`, ['next']],
])('filters %s: Link has only these relations, and at most 4 KB [CONTRACT §5]', (_, email, relations) => {
  const { pagination, link = '' } = envelopeOf({ email, page: '2' }, { rows: [], total_count: 100 });
  expect([...linksOf(link).keys()]).toEqual(relations);
  expect(link.length).toBeLessThanOrEqual(4096);
  expect(pagination).toEqual({ page: 2, per_page: 20, total_count: 100 });
});

test('parameters that make every link longer than 4 KB: no Link, and the body has the next cursor [CONTRACT §5]', () => {
  const sent = { email: `${'😀'.repeat(318)}@x`, fields: Array(100).fill('id').join(',') };
  const cursor = envelopeOf(sent, { rows: [member], has_more: true });
  expect([cursor.link, cursor.pagination]).toEqual([undefined, { next_cursor: expect.any(String), has_more: true }]);
  expect(envelopeOf({ ...sent, page: '2' }, { rows: [], total_count: 100 }).link).toBeUndefined();
});

test('the link of a second page: has its own cursor instead of the first page’s [CONTRACT §5]', () => {
  const { pagination } = envelopeOf({ limit: '1' }, { rows: [member], has_more: true });
  const second = envelopeOf(
    { limit: '1', after: pagination.next_cursor as string },
    { rows: [{ ...member, id: 43 }], has_more: true },
  );
  const target = parametersOf(linksOf(second.link as string).get('next'));
  expect(target).toEqual({ limit: '1', after: second.pagination.next_cursor });
  expect(target['after']).not.toBe(pagination.next_cursor);
});
