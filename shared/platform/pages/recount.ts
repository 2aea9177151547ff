import { MARGIN_MS } from '#shared/platform/jobs/reconcile.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';
import { type Leaf, type LeafRow, rangesOf } from './leaves.ts';
import { type IndexedStore, idsOf, MAX_LOSSES } from './seal.ts';

/** Whether the count of a random leaf is right. A row that is deleted at the same time can make it look wrong. */
export const isRandomLeafRight = async (store: IndexedStore): Promise<boolean> => {
  const { groups } = await store.pageIndex.readGroups();
  const group = pick(groups);
  const [leaves] = group ? await store.pageIndex.readLeaves(group.id, group.id) : [];
  const leaf = leaves && pick(rangesOf(leaves));
  if (!leaf) return true;
  let rows = 0;
  for await (const ids of idsOf(store, leaf)) rows += ids.length;
  return rows === leaf.rows;
};

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];

/**
 * Counts the rows of the groups from an id on, and corrects the index.
 * @returns the number of groups that were wrong, and the group with which the next run continues, if time is up
 */
export const recountFrom = async (
  from: number,
  store: IndexedStore,
  context: Pick<WorkerContext, 'remaining' | 'commit'>,
): Promise<{ wrong: number; next: number | undefined }> => {
  const { groups } = await store.pageIndex.readGroups();
  let wrong = 0;
  for (const { id } of groups.filter((group) => group.id >= from)) {
    if (context.remaining() < MARGIN_MS) return { wrong, next: id };
    if (await recountGroup(id, store, context)) wrong += 1;
  }
  return { wrong, next: undefined };
};

/**
 * A correction has the condition that no row of the group was deleted since before the rows were read.
 * @returns whether the group was wrong
 */
const recountGroup = async (
  id: number,
  store: IndexedStore,
  { commit }: Pick<WorkerContext, 'commit'>,
): Promise<boolean> => {
  for (let losses = 0; losses < MAX_LOSSES; losses++) {
    const { group, leaves } = await store.pageIndex.find(id);
    if (!group || !leaves) return false;
    const writes = store.pageIndex.correction(group, leaves, await countLeaves(leaves, store));
    if (writes.length === 0) return false;
    if (await commit(writes)) return true;
  }
  throw new Error('The rows of a group were not counted, because they kept changing.');
};

const countLeaves = async (stored: LeafRow, store: IndexedStore): Promise<Leaf[]> => {
  const counted = rangesOf(stored).map((leaf) => ({ ...leaf, rows: 0 }));
  let i = 0;
  for await (const ids of idsOf(store, { from: stored.id, before: stored.end + 1 })) {
    for (const id of ids) {
      while (id >= (counted[i]?.before ?? Number.POSITIVE_INFINITY)) i += 1;
      const leaf = counted[i];
      if (leaf) leaf.rows += 1;
    }
  }
  return counted;
};
