import { expect, test } from '@jest/globals';
import { createId, IDS_PER_MILLISECOND, isId } from '#shared/platform/id.ts';
import fc from '#test/support/random/fast-check.ts';

const time = fc.date({ min: new Date('2024-01-01T00:00:00.001Z'), max: new Date('2090-12-31T23:59:59.999Z') });
const random = fc.integer({ min: 0, max: 4095 });
const idAt = (date: Date, chance: number) => createId(date.toISOString(), chance);
const valid = time.filter((date) => !Number.isNaN(date.getTime()));

test('ids of different times: in the order of these times, whatever their random part [CONTRACT §3]', () => {
  fc.assert(
    fc.property(valid, valid, random, random, (one, other, first, second) => {
      fc.pre(one.getTime() !== other.getTime());
      expect(idAt(one, first) < idAt(other, second)).toBe(one < other);
    }),
  );
  const edge = new Date('2026-11-21T09:30:00.000Z');
  expect(idAt(edge, 4095)).toBeLessThan(idAt(new Date(edge.getTime() + 1), 0));
});

test('any id of a date up to 2090: in 1…2^53−1 [CONTRACT §3, §12]', () => {
  fc.assert(fc.property(valid, random, (date, chance) => isId(idAt(date, chance))));
  for (const [date, chance] of [
    ['2024-01-01T00:00:00.001Z', 0],
    ['2090-12-31T23:59:59.999Z', 4095],
  ] as const)
    expect(isId(createId(date, chance))).toBe(true);
});

test('ids of one millisecond: 4,096 different ids [CONTRACT §3]', () => {
  const at = '2026-11-21T09:30:00.000Z';
  const ids = new Set(Array.from({ length: IDS_PER_MILLISECOND }, (_, chance) => createId(at, chance)));
  expect(IDS_PER_MILLISECOND).toBe(4096);
  expect(ids.size).toBe(4096);
});
