import { expect, test } from '@jest/globals';
import type { Entity } from '#shared/platform/entity.ts';
import { toEnvelope } from '#shared/platform/http/request/page-envelope.ts';
import { parseQuery } from '#shared/platform/http/request/query.ts';
import type { Page } from '#shared/platform/store/page.ts';
import fc from '#test/support/random/fast-check.ts';
import { email } from '#test/unit/invoicing/arbitrary.ts';
import { type Parameters, parse } from './listing.ts';

test('filters that no index serves together, or alone: 422 that names one [CONTRACT §4]', () => {
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
