import { type AccountState, INDEXED_NAMES, type StoredPageIndex } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import type { Change } from '#shared/platform/commit/write.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import { type Group, type LeafRow, rangesOf } from '#shared/platform/store/page-index/leaves.ts';

export const pages: Check = {
  name: 'pages',
  holds: 'The groups and leaves of a page index follow each other, and count the stored rows of their ranges.',
  repairs:
    'The index is deleted. The next page by number asks for a new one, and pages are counted until it is complete.',
  find: (state: AccountState) =>
    INDEXED_NAMES.flatMap((name): Finding[] => {
      const index = state.pages.get(name);
      if (!index || (index.groups.length === 0 && index.leaves.length === 0)) return [];
      const ids = state.rows[name].map(({ id }) => id);
      const isWhole = fits(index);
      const wrong = isWhole ? wrongGroups(index, ids) : [];
      if (isWhole && wrong.length === 0) return [];
      const detail = isWhole
        ? `The counts of ${wrong.length} groups of ${name} are wrong, first of group ${wrong[0]?.id}.`
        : `The groups and leaves of ${name} do not fit together.`;
      const evidence = isWhole ? wrong : index;
      return [{ table: 'pages', id: name, detail, evidence, repair: discard(name, index) }];
    }),
};

/** Whether each group begins after the previous group, only the last group is open, and each group has its leaves. */
const fits = ({ groups, leaves }: StoredPageIndex): boolean => {
  const byId = new Map(leaves.map((row) => [row.id, row]));
  const follow = groups.every(({ id, end, ...group }, i) => {
    const own = byId.get(id);
    const starts = own?.leaves.map(({ from }) => from) ?? [];
    return (
      id === (i === 0 ? 0 : (groups[i - 1]?.end ?? 0) + 1) &&
      'closed' in group === i < groups.length - 1 &&
      own?.end === end &&
      (end === 0 || starts[0] === id || starts[0] === 1) &&
      starts.every((from) => from <= end)
    );
  });
  return follow && leaves.length === groups.length;
};

const wrongGroups = ({ groups, leaves }: StoredPageIndex, ids: readonly number[]) => {
  const sorted = ids.toSorted((a, b) => a - b);
  const countIn = (from: number, before: number) => firstFrom(sorted, before) - firstFrom(sorted, from);
  // A sealed range only loses rows, so equal counts of equal ranges in two looks did not change between them.
  return groups.flatMap(({ id, end, rows }) => {
    const own = leaves.find((row) => row.id === id) as LeafRow;
    const ranges = rangesOf(own).map((range) => ({ ...range, count: countIn(range.from, range.before) }));
    const wrong = ranges.filter((range) => range.rows !== range.count);
    const count = countIn(id, end + 1);
    return wrong.length === 0 && rows === count ? [] : [{ id, end, rows: rows - count, wrong }];
  });
};

/** The position of the first id that is not below a bound, in sorted ids. */
const firstFrom = (sorted: readonly number[], bound: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** A transaction has 100 actions at most: a group, its leaves, and the group before them. */
const MAX_GROUPS = 49;

/**
 * Deletes the last groups first, each with its leaves: the remaining groups count the older rows, and the newer rows
 * are the tail. Deletes nothing if rows were sealed since the index was read.
 */
const discard =
  (name: (typeof INDEXED_NAMES)[number], { groups, leaves }: StoredPageIndex): Repair =>
  async ({ stores, commit }) => {
    const { partitions } = stores[name].pageIndex;
    const change = (collection: string, id: number, how: Change, clauses: readonly Clause[]) =>
      conditional({ table: 'pages', key: { collection, id }, ...how }, clauses);
    const remove = { remove: true } as const;
    let last: Group | undefined;
    const isAsRead = (group: Group): Clause[] => [
      ['end', '=', group.end],
      ['closed', 'closed' in group && group !== last ? 'present' : 'absent'],
    ];
    const ids = [...new Set([...groups, ...leaves].map(({ id }) => id))].sort((a, b) => b - a);
    for (const batch of batchesOf(ids, MAX_GROUPS)) {
      const deleted = new Set(batch);
      const before = groups.findLast(({ id }) => id < Number(batch.at(-1)));
      const writes = [
        ...groups
          .filter(({ id }) => deleted.has(id))
          .map((group) => change(partitions.groups, group.id, remove, isAsRead(group))),
        ...leaves
          .filter(({ id }) => deleted.has(id))
          .map(({ id, end }) => change(partitions.leaves, id, remove, [['end', '=', end]])),
        // This group becomes the last group, which is open: otherwise no row of the tail could be deleted.
        ...(before ? [change(partitions.groups, before.id, { update: { remove: ['closed'] } }, isAsRead(before))] : []),
      ];
      if (!(await commit(() => writes))) return false;
      last = before;
    }
    return true;
  };
