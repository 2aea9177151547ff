import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entityTag, ifMatch, isNotModified } from '#shared/platform/http/request/conditional.ts';
import { refusalOf } from '#test/unit/invoicing/refusal.ts';

const member = (version: number) => ({ id: 1, version, created_at: '', updated_at: '' });

test('CONTRACT §7: ETag is "<version>", strong; with expand=customer "<version>-<customer version>"', () => {
  expect(entityTag(3)).toBe('"3"');
  expect(entityTag(3, 5)).toBe('"3-5"');
  expect(entityTag(3, 0)).toBe('"3-0"');
});

test.each<[string, string | undefined, 'match' | 'stale' | 'malformed']>([
  ['none', undefined, 'match'],
  ['*', '*', 'match'],
  ['* among blanks', ' * ', 'match'],
  ['the tag', '"3"', 'match'],
  ['a stale tag', '"2"', 'stale'],
  ['a tag that ends alike', '"13"', 'stale'],
  ['a tag that begins alike', '"31"', 'stale'],
  ['the number written otherwise', '"03"', 'stale'],
  ['an empty tag', '""', 'stale'],
  ['a list with the tag', '"1", "3"', 'match'],
  ['a list without blanks', '"1","3","4"', 'match'],
  ['a list with tabs', '"1"\t,\t"3"', 'match'],
  ['a list without the tag', '"1", "2"', 'stale'],
  ['a W/ prefix that a proxy added is ignored', 'W/"3"', 'match'],
  ['W/ in a list', 'W/"1", W/"3"', 'match'],
  ['W/ of a stale tag', 'W/"2"', 'stale'],
  ['of an expanded tag the first part counts', '"3-9"', 'match'],
  ['of a weak expanded tag, too', 'W/"3-9"', 'match'],
  ['the second part does not count', '"2-3"', 'stale'],
  ['a comma inside a tag', '"a,b", "3"', 'match'],
  ['a tag that hides inside another', '"x,"3"', 'malformed'],
  ['empty elements, which RFC 9110 §5.6.1.2 has ignored', ', "1",, "3" ,', 'match'],
  ['nothing but empty elements', ' , ,', 'malformed'],
  ['nothing', '', 'malformed'],
  ['blanks', '  ', 'malformed'],
  ['no quotes', '3', 'malformed'],
  ['one quote', '"3', 'malformed'],
  ['another one', '3"', 'malformed'],
  ['other quotes', "'3'", 'malformed'],
  ['w/ in lower case', 'w/"3"', 'malformed'],
  ['W without a slash', 'W"3"', 'malformed'],
  ['a blank in W/', 'W/ "3"', 'malformed'],
  ['no comma', '"3" "4"', 'malformed'],
  ['another separator', '"3"; "4"', 'malformed'],
  ['* in a list', '*, "3"', 'malformed'],
  ['a list with *', '"3", *', 'malformed'],
  ['two *', '**', 'malformed'],
  ['a blank in a tag', '"a b"', 'malformed'],
  ['a control character in a tag', '"a\u0007"', 'malformed'],
  ['a tag and more', '"3"x', 'malformed'],
  ['a line end', '"3"\n"3"', 'malformed'],
])('CONTRACT §7: If-Match: %s: %s: %s', (_, header, outcome) => {
  if (outcome === 'malformed') {
    expect(refusalOf(() => ifMatch(header)).code).toBe('invalid-header');
    return;
  }
  const current = member(3);
  if (outcome === 'match') expect(ifMatch(header)(current)).toBe(current);
  else {
    expect(refusalOf(() => ifMatch(header)(current))).toEqual({
      code: 'precondition-failed',
      facts: { version: 3, detail: expect.stringMatching(/^If-Match is .*; the resource has "3"\.$/) },
    });
  }
});

const version = fc.integer({ min: 1, max: 20 });
const tag = fc.record({ version, related: fc.option(version), weak: fc.boolean() });
const list = fc.array(tag, { minLength: 1, maxLength: 5 });
const separator = fc.constantFrom(',', ', ', ' ,', '\t,  ');

test('CONTRACT §7: If-Match: a member passes exactly when a tag of the list has its version', () => {
  fc.assert(
    fc.property(list, separator, version, (tags, by, current) => {
      const header = tags
        .map(({ version, related, weak }) => `${weak ? 'W/' : ''}"${version}${related === null ? '' : `-${related}`}"`)
        .join(by);
      const passes = tags.some((one) => one.version === current);
      if (passes) expect(ifMatch(header)(member(current))).toEqual(member(current));
      else expect(refusalOf(() => ifMatch(header)(member(current))).code).toBe('precondition-failed');
    }),
  );
});

test.each<[string, string | undefined, string, boolean]>([
  ['none', undefined, '"3"', false],
  ['*', '*', '"3"', true],
  ['the tag', '"3"', '"3"', true],
  ['another', '"2"', '"3"', false],
  ['a list with the tag', '"1", "3"', '"3"', true],
  ['a weak tag', 'W/"3"', '"3"', true],
  ['weak tags', 'W/"1", W/"3"', '"3"', true],
  ['an expanded tag', '"3-5"', '"3-5"', true],
  ['the customer has changed', '"3-4"', '"3-5"', false],
  ['the tag without the expansion', '"3"', '"3-5"', false],
  ['the tag with the expansion', '"3-5"', '"3"', false],
  ['a malformed header is ignored', '3', '"3"', false],
  ['an empty header is ignored', '', '"3"', false],
  ['empty elements', ',"3",', '"3"', true],
])('CONTRACT §7: If-None-Match: %s: %s and %s: %p', (_, header, current, expected) => {
  expect(isNotModified(header, current)).toBe(expected);
});

test.each([
  ['tags', '"1", '],
  ['blanks', ' '],
  ['commas', ','],
  ['weak tags', 'W/"1" ,, '],
  ['quotes', '"'],
])('a hostile header takes no long time: %s', (_, part) => {
  const began = performance.now();
  expect(refusalOf(() => ifMatch(`"1"${part.repeat(20_000)}x`)).code).toBe('invalid-header');
  isNotModified(`${part.repeat(20_000)}x`, '"3"');
  expect(performance.now() - began).toBeLessThan(500);
});
