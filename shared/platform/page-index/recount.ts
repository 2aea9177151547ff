import { hasTime } from '#shared/platform/jobs/turns.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';
import { rangesOf } from './leaves.ts';
import { type IndexedStore, idsOf, MAX_LOSSES } from './seal.ts';
import { correctionWrites } from './writes.ts';

type Context = Pick<WorkerContext, 'remaining' | 'commit'>;

/**
 * Counts the rows of a random group, and corrects it.
 * @returns whether it was wrong
 */
export const recountRandomGroup = async (store: IndexedStore, context: Context): Promise<boolean> => {
  const { groups } = await store.pageIndex.readGroups();
  const group = groups[Math.floor(Math.random() * groups.length)];
  return group !== undefined && (await recountGroup(group.id, store, context)) === 'corrected';
};

/**
 * Counts the rows of the groups from an id on, and corrects the index.
 * @returns the number of wrong groups, and the group with which the next run continues, if time runs out
 */
export const recountFrom = async (
  from: number,
  store: IndexedStore,
  context: Context,
): Promise<{ wrong: number; next: number | undefined }> => {
  const { groups } = await store.pageIndex.readGroups();
  const ids = groups.map(({ id }) => id).filter((id) => id >= from);
  let wrong = 0;
  for (let losses = 0; ids[0] !== undefined; ) {
    if (!hasTime(context) || losses === MAX_LOSSES) break;
    const outcome = await recountGroup(ids[0], store, context);
    if (outcome === 'corrected') wrong += 1;
    if (outcome === 'lost') losses += 1;
    else ids.shift();
  }
  return { wrong, next: ids[0] };
};

/** A correction is lost when a row of the group is deleted, or sealed, while its rows are counted. */
const recountGroup = async (
  id: number,
  store: IndexedStore,
  context: Context,
): Promise<'right' | 'corrected' | 'lost'> => {
  // The leaves and rows are read after the group: if the group is unchanged at the commit, they are unchanged, too.
  const { group } = await store.pageIndex.find(id);
  const [leaves] = await store.pageIndex.readLeaves(id, id);
  if (!group || !leaves) return 'right';
  const ids: number[] = [];
  for await (const some of idsOf(store, { from: id, before: group.end + 1 })) {
    if (!hasTime(context)) return 'lost';
    ids.push(...some);
  }
  const counts = rangesOf(leaves).map(({ from, before }) => ids.filter((id) => id >= from && id < before).length);
  const writes = correctionWrites(store.pageIndex.partitions, group, leaves, counts);
  if (writes.length === 0) return 'right';
  return (await context.commit(() => writes)) ? 'corrected' : 'lost';
};
