import { type AccountState, INDEXED_NAMES, type StoredPageIndex } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { type LeafRow, rangesOf } from '#shared/platform/page-index/leaves.ts';

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

/** Whether each group begins after the one before, only the last group is open, and each group has its leaves. */
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
  return groups.flatMap((group) => {
    const own = leaves.find(({ id }) => id === group.id) as LeafRow;
    const ranges = rangesOf(own).map(({ from, before, rows }) => [from, rows, countIn(from, before)] as const);
    const wrong = ranges.filter(([, rows, count]) => rows !== count);
    const count = countIn(group.id, group.end + 1);
    return wrong.length === 0 && group.rows === count ? [] : [{ id: group.id, rows: group.rows - count, wrong }];
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

/** DynamoDB's limit for a transaction. */
const MAX_ACTIONS = 100;

/**
 * Deletes the last groups first, each with its leaves: what remains counts the older rows, and the others are the tail.
 * Nothing is deleted if rows were sealed since the index was read.
 */
const discard =
  (name: (typeof INDEXED_NAMES)[number], { groups, leaves }: StoredPageIndex): Repair =>
  async ({ stores, commit }) => {
    const { partitions } = stores[name].pageIndex;
    const removals = [
      ...groups.map((group) =>
        conditional({ table: 'pages', key: { collection: partitions.groups, id: group.id }, remove: true }, [
          ['end', '=', group.end],
          ['closed', 'closed' in group ? 'present' : 'absent'],
        ]),
      ),
      ...leaves.map(({ id, end }) =>
        conditional({ table: 'pages', key: { collection: partitions.leaves, id }, remove: true }, [['end', '=', end]]),
      ),
    ].sort((a, b) => Number(b.key['id']) - Number(a.key['id']));
    for (const batch of batchesOf(removals, MAX_ACTIONS)) {
      const isDone = await commit(() => batch);
      if (!isDone) return false;
    }
    return true;
  };
