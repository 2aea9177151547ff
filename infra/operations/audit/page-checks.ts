import { type AccountState, INDEXED_NAMES, type StoredPageIndex } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { type LeafRow, rangesOf } from '#shared/platform/page-index/leaves.ts';
import { recountFrom } from '#shared/platform/page-index/recount.ts';

export const pages: Check = {
  name: 'pages',
  holds: 'The groups and leaves of a page index follow each other, and count the stored rows of their ranges.',
  repairs:
    'The rows are counted again. An index whose parts do not fit together is deleted; the next page by number asks for a new one.',
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
      const evidence = isWhole ? [wrong, ids] : index;
      return [{ table: 'pages', id: name, detail, evidence, repair: isWhole ? recount(name) : discard(name, index) }];
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
    const isRight =
      ranges.every(([, rows, count]) => rows === count) && group.rows === countIn(group.id, group.end + 1);
    return isRight ? [] : [{ id: group.id, rows: group.rows, ranges }];
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

type Name = (typeof INDEXED_NAMES)[number];

const recount =
  (name: Name): Repair =>
  async ({ stores, remaining, commit }) =>
    (await recountFrom(0, stores[name], { remaining, commit })).next === undefined;

/** DynamoDB's limit for a transaction. */
const MAX_ACTIONS = 100;

/** Deletes the leaves first: a delete that finds no leaves does not count itself. */
const discard =
  (name: Name, { groups, leaves }: StoredPageIndex): Repair =>
  async ({ stores, commit }) => {
    const { partitions } = stores[name].pageIndex;
    const keys = [
      ...leaves.map(({ id }) => ({ collection: partitions.leaves, id })),
      ...groups.map(({ id }) => ({ collection: partitions.groups, id })),
    ];
    for (const batch of batchesOf(keys, MAX_ACTIONS)) {
      const removals = batch.map((key) => conditional({ table: 'pages', key, remove: true }, [['id', 'present']]));
      const isDone = await commit(() => removals);
      if (!isDone) return false;
    }
    return true;
  };
