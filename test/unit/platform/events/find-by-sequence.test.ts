import { expect, test } from '@jest/globals';
import { findBySequence } from '#shared/platform/events/find-by-sequence.ts';
import fc from '#test/support/random/fast-check.ts';

/** Ids that are close to each other, and ids that are far apart, in ascending order. */
const ids = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })), {
    minLength: 1,
    maxLength: 30,
  })
  .map((list) => list.sort((a, b) => a - b));

type Row = Parameters<typeof feedOf>[0][number];

const feedOf = (rows: readonly { readonly id: number; readonly sequence: number; readonly version: number }[]) => {
  const feed = {
    reads: 0,
    list: async ({ after = 0, limit }: { after?: number | undefined; limit: number }) => {
      feed.reads += 1;
      return { rows: rows.filter(({ id }) => id > after).slice(0, limit), has_more: false };
    },
  };
  return feed;
};

const rowsOf = (list: readonly number[]): Row[] => list.map((id, i) => ({ id, sequence: i + 1, version: 1 }));

test('each sequence of any feed: its event, in at most 53 reads', async () => {
  await fc.assert(
    fc.asyncProperty(ids, async (list) => {
      const rows = rowsOf(list);
      for (const row of rows) {
        const feed = feedOf(rows);
        expect(await findBySequence(feed, row.sequence, list.at(-1) as number)).toEqual(row);
        expect(feed.reads).toBeLessThanOrEqual(53);
      }
    }),
  );
});

test('an event that is not readable: not found', async () => {
  await fc.assert(
    fc.asyncProperty(ids, fc.nat(), async (list, at) => {
      const hidden = at % list.length;
      const feed = feedOf(rowsOf(list).filter((_, i) => i !== hidden));
      expect(await findBySequence(feed, hidden + 1, list.at(-1) as number)).toBeUndefined();
    }),
  );
});
