import { expect, test } from '@jest/globals';
import { createPreconditionCheck, isNotModified } from '#shared/platform/http/caching.ts';
import fc from '#test/support/random/fast-check.ts';
import { cpuMillisecondsOf } from '#test/support/waiting/cpu-time.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const createIfMatchCheck = (ifMatch: string) => createPreconditionCheck({ ifMatch, ifNoneMatch: undefined });

const member = (version: number) => ({ id: 1, version, created_at: '', updated_at: '' });

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
