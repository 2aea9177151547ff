import { expect, test } from '@jest/globals';
import { checkMetadata } from '#shared/invoicing/metadata/rules.ts';
import { problemOf } from '../problem.ts';

const memberWith = (count: number) => ({
  metadata: Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x'])),
});

test.each([0, 1, 20])('%i pairs: the same member [CONTRACT §4]', (count) => {
  const member = memberWith(count);
  expect(checkMetadata(member)).toBe(member);
});

test('21 pairs: validation-failed [CONTRACT §4]', () => {
  expect(problemOf(() => checkMetadata(memberWith(21)))).toMatchObject({
    code: 'validation-failed',
    facts: { violations: [{ pointer: '/metadata', code: 'too-many' }] },
  });
});
