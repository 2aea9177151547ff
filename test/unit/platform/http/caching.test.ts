import { expect, test } from '@jest/globals';
import { createPreconditionCheck, isNotModified, toETag } from '#shared/platform/http/caching.ts';
import fc from '#test/support/random/fast-check.ts';
import { cpuMillisecondsOf } from '#test/support/waiting/cpu-time.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const createIfMatchCheck = (ifMatch: string | undefined) =>
  createPreconditionCheck({ ifMatch, ifNoneMatch: undefined });

const member = (version: number) => ({ id: 1, version, created_at: '', updated_at: '' });

test('the ETag: "<version>", with expand=customer "<version>-<customer version>" [CONTRACT §7]', () => {
  expect(toETag(3)).toBe('"3"');
  expect(toETag(3, 5)).toBe('"3-5"');
  expect(toETag(3, 0)).toBe('"3-0"');
});

test.each<[string, string | undefined, 'match' | 'stale' | 'malformed']>([
  ['no header', undefined, 'match'],
  ['*', '*', 'match'],
  ['* between spaces', ' * ', 'match'],
  ['an ETag with the same ending', '"13"', 'stale'],
  ['an ETag with the same beginning', '"31"', 'stale'],
  ['the version with a leading zero', '"03"', 'stale'],
  ['an empty ETag', '""', 'stale'],
  ['an ETag that a proxy marked', '"3-gzip"', 'match'],
  ['another ETag that a proxy marked', '"33-gzip"', 'stale'],
  ['a comma inside an ETag', '"a,b", "3"', 'match'],
  ['an ETag inside an unclosed ETag', '"x,"3"', 'malformed'],
  ['empty list elements (RFC 9110 §5.6.1.2)', ', "1",, "3" ,', 'match'],
  ['only empty list elements', ' , ,', 'malformed'],
  ['an empty value', '', 'malformed'],
  ['only spaces', '  ', 'malformed'],
  ['no quotes', '3', 'malformed'],
  ['a quote only at the start', '"3', 'malformed'],
  ['a quote only at the end', '3"', 'malformed'],
  ['single quotes', "'3'", 'malformed'],
  ['lower-case w/', 'w/"3"', 'malformed'],
  ['W without a slash', 'W"3"', 'malformed'],
  ['a space after W/', 'W/ "3"', 'malformed'],
  ['two ETags without a comma', '"3" "4"', 'malformed'],
  ['a semicolon between ETags', '"3"; "4"', 'malformed'],
  ['a list that starts with *', '*, "3"', 'malformed'],
  ['a list that ends with *', '"3", *', 'malformed'],
  ['two *', '**', 'malformed'],
  ['a space in an ETag', '"a b"', 'malformed'],
  ['a control character in an ETag', '"a\u0007"', 'malformed'],
  ['text after an ETag', '"3"x', 'malformed'],
  ['a line break', '"3"\n"3"', 'malformed'],
])('If-Match: %s (%j): %s [CONTRACT §7]', (_, header, outcome) => {
  if (outcome === 'malformed') {
    expect(problemOf(() => createIfMatchCheck(header)).code).toBe('invalid-header');
    return;
  }
  const current = member(3);
  if (outcome === 'match') expect(createIfMatchCheck(header)(current)).toBe(current);
  else {
    expect(problemOf(() => createIfMatchCheck(header)(current))).toEqual({
      code: 'precondition-failed',
      facts: { headers: { etag: '"3"' }, detail: expect.stringMatching(/^If-Match is .*; the resource has "3"\.$/) },
    });
  }
});

test.each<[string, string, 'passes' | 'fails' | 'malformed']>([
  ['*', '*', 'fails'],
  ['the current ETag', '"3"', 'fails'],
  ['the current ETag, weak', 'W/"3"', 'fails'],
  ['the current ETag, marked by a proxy', '"3-gzip"', 'fails'],
  ['a list with the current ETag', '"1", "3"', 'fails'],
  ['another ETag', '"2"', 'passes'],
  ['the ETag of an expanded response', '"3-1"', 'passes'],
  ['no quotes', '3', 'malformed'],
  ['a list with *', '*, "3"', 'malformed'],
  ['an empty value', '', 'malformed'],
])('a write with If-None-Match, %s (%s): %s [CONTRACT §7]', (_, ifNoneMatch, outcome) => {
  const check = () => createPreconditionCheck({ ifMatch: '*', ifNoneMatch })(member(3));
  if (outcome === 'passes') expect(check()).toEqual(member(3));
  else if (outcome === 'malformed') expect(problemOf(check).code).toBe('invalid-header');
  else
    expect(problemOf(check)).toEqual({
      code: 'precondition-failed',
      facts: {
        headers: { etag: '"3"' },
        detail: `If-None-Match is ${JSON.stringify(ifNoneMatch)}; the resource has "3".`,
      },
    });
});

test('If-Match and If-None-Match that both fail: If-Match decides [CONTRACT §7]', () => {
  const check = createPreconditionCheck({ ifMatch: '"2"', ifNoneMatch: '"3"' });
  expect(problemOf(() => check(member(3))).facts).toMatchObject({ stale: { since: 2, version: 3 } });
});

const version = fc.integer({ min: 1, max: 20 });
const tag = fc.record({ version, related: fc.option(version), weak: fc.boolean() });
const list = fc.array(tag, { minLength: 1, maxLength: 5 });
const separator = fc.constantFrom(',', ', ', ' ,', '\t,  ');

test('any list of ETags in If-Match: a match exactly when an ETag has the version [CONTRACT §7]', () => {
  fc.assert(
    fc.property(list, separator, version, (tags, by, current) => {
      const header = tags
        .map(({ version, related, weak }) => `${weak ? 'W/' : ''}"${version}${related === null ? '' : `-${related}`}"`)
        .join(by);
      const passes = tags.some((one) => one.version === current);
      if (passes) expect(createIfMatchCheck(header)(member(current))).toEqual(member(current));
      else expect(problemOf(() => createIfMatchCheck(header)(member(current))).code).toBe('precondition-failed');
    }),
  );
});

test.each<[string, string | undefined, string, boolean]>([
  ['no header', undefined, '"3"', false],
  ['*', '*', '"3"', true],
  ['the current ETag', '"3"', '"3"', true],
  ['another ETag', '"2"', '"3"', false],
  ['a list with the ETag', '"1", "3"', '"3"', true],
  ['a weak ETag', 'W/"3"', '"3"', true],
  ['weak ETags', 'W/"1", W/"3"', '"3"', true],
  ['an expanded ETag', '"3-5"', '"3-5"', true],
  ['an expanded ETag of an older customer', '"3-4"', '"3-5"', false],
  ['an ETag without the expansion', '"3"', '"3-5"', false],
  ['an ETag with the expansion', '"3-5"', '"3"', false],
  ['a malformed header', '3', '"3"', false],
  ['an empty header', '', '"3"', false],
  ['empty list elements', ',"3",', '"3"', true],
  ['an ETag that a proxy marked', '"3-gzip"', '"3"', true],
  ['a marked weak ETag', 'W/"3-br"', '"3"', true],
  ['a list with a marked ETag', '"2", "3-zstd"', '"3"', true],
  ['an expanded ETag that a proxy marked', '"3-5-gzip"', '"3-5"', true],
  ['an own ETag with such an ending', '"3-gzip"', '"3-gzip"', true],
  ['another marked ETag', '"13-gzip"', '"3"', false],
  ['a marked ETag without the expansion', '"3-gzip"', '"3-5"', false],
  ['an ETag with another ending', '"3-gzipped"', '"3"', false],
  ['a mark inside an ETag', '"3-gzip-5"', '"3-5"', false],
  ['a mark in upper case', '"3-GZIP"', '"3"', false],
])('If-None-Match: %s (%j), the current ETag %j: not modified is %p [CONTRACT §7]', (_, header, current, expected) => {
  expect(isNotModified(header, current)).toBe(expected);
});

test.each([
  ['ETags', '"1", '],
  ['spaces', ' '],
  ['commas', ','],
  ['weak ETags', 'W/"1" ,, '],
  ['quotes', '"'],
  ['marks', '"1-gzip-gzip", '],
])('20,000 repeated %s in a header: parsed within 500 ms of processor time', (_, part) => {
  const parse = () => {
    expect(problemOf(() => createIfMatchCheck(`"1"${part.repeat(20_000)}x`)).code).toBe('invalid-header');
    isNotModified(`${part.repeat(20_000)}x`, '"3"');
  };
  expect(cpuMillisecondsOf(parse)).toBeLessThan(500);
});
