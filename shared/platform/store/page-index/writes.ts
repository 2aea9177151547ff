import type { Write } from '#shared/platform/commit/write.ts';
import type { Attributes, Clause } from '#shared/platform/dynamodb/expression.ts';
import type { Extension, Last, LeafRow } from './leaves.ts';

/** The partitions of a collection in the table of page indexes. */
export interface Partitions {
  readonly groups: string;
  readonly leaves: string;
}

/** The account is part of every key (§5). */
export const partitionsOf = (account: string, table: string): Partitions => {
  const groups = `${account}#${table}`;
  return { groups, leaves: `${groups}#leaves` };
};

const ABSENT: readonly Clause[] = [['id', 'absent']];

/** Creates the first group and its leaves, which are empty. From now on, deletes write to the index. */
export const activationWrites = ({ groups, leaves }: Partitions, sealable_at: number): Write[] => [
  add(groups, 0, { rows: 0, end: 0, deletes: 0, sealable_at }, [['closed', 'absent']]),
  add(leaves, 0, { end: 0 }, ABSENT),
];

/**
 * The writes that must be committed with the delete of a row, so that the index stays exact. Without leaves, the index is
 * not active: deletes of an account that reads no page by number do not conflict.
 * @param place the leaves of the group that contains the row; of the last group for a row of the tail
 */
export const removalWrites = ({ groups, leaves }: Partitions, id: number, place: LeafRow | undefined): Write[] => {
  if (!place) return [];
  if (id > place.end) {
    const isInTail: Clause[] = [
      ['closed', 'absent'],
      ['end', '<=', id - 1],
    ];
    return [add(groups, place.id, { deletes: 1 }, isInTail)];
  }
  const leaf = place.leaves.findLast(({ from }) => from <= id);
  if (!leaf) throw new Error(`${groups} has no leaf for the id ${id}.`);
  // An index that was deleted, and perhaps begun again, does not contain the row.
  const contains: Clause[] = [['end', '>=', id]];
  return [add(groups, place.id, { rows: -1 }, contains), add(leaves, place.id, { [leaf.from]: -1 }, contains)];
};

/** The writes of one step of sealing. They fail if the index has changed, or a row of the tail was deleted. */
export const extensionWrites = ({ groups, leaves }: Partitions, last: Last, extension: Extension): Write[] => {
  const { id, begins, end, rows, leaves: added } = extension;
  const { group } = last;
  const counts = Object.fromEntries(added.map((leaf) => [leaf.from, leaf.rows]));
  const isUnchanged: readonly Clause[] = [
    ['end', '=', group.end],
    ['deletes', '=', group.deletes],
  ];
  if (begins) {
    return [
      add(groups, group.id, { closed: 1 }, isUnchanged),
      add(groups, id, { rows, end, deletes: 0 }, ABSENT),
      add(leaves, id, { end, ...counts }, ABSENT),
    ];
  }
  return [
    add(groups, id, { rows, end: end - group.end, deletes: 0 }, isUnchanged),
    add(leaves, id, { end: end - last.leaves.end, ...counts }, [['end', '=', last.leaves.end]]),
  ];
};

const add = (collection: string, id: number, attributes: Attributes, clauses: readonly Clause[]): Write => ({
  table: 'pages',
  key: { collection, id },
  add: attributes,
  condition: { clauses },
  onConditionFailed: 'version-conflict',
});
