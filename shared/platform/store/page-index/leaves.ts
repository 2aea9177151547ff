/*
 * The page index of a collection (CONTRACT §5): how many rows exist in which range of ids. A leaf counts up to 48 rows
 * with consecutive ids, a group up to 48 leaves. Rows are sealed, that is appended to the leaves, when no older id can be
 * inserted any more.
 *
 *   ids      1 ───────────── 820 │ 821 ──────── 1570 │ 1571 ────
 *   groups   {id: 0, end: 820}   │ {id: 821, end: 1570}│ the tail, which is not sealed
 *   leaves   {1: 48, 212: 47, …} │ {821: 48, 1204: 31} │
 *
 * The leaves of a group are one item, so a delete and a page read only that item. The groups are small, and a page
 * reads all of them: 30 KB at a million rows.
 */

/** The rows of a full leaf. A page reads and skips up to this many rows. */
export const LEAF_ROWS = 48;
/** The leaves of a full group: as many as fit an item of 1 KB, which is one write unit. */
export const GROUP_LEAVES = 48;

/** Ids from `id` to `end`; the next group begins with the id after `end`. */
export interface Group {
  readonly id: number;
  readonly end: number;
  /** How many rows of the group exist. */
  readonly rows: number;
  /** How many rows after `end` were deleted while this was the last group: sealing must not count them. */
  readonly deletes: number;
  /** Before this time, in epoch milliseconds, no row is sealed (jobs/seal.ts). Only in the first group. */
  readonly sealable_at?: number;
  /** Present when there is a next group. */
  readonly closed?: number;
}

interface Leaf {
  /** The first id of its range; a leaf ends where the next leaf begins. */
  readonly from: number;
  readonly rows: number;
}

/** The leaves of the group with the same id. */
export interface LeafRow {
  readonly id: number;
  /** The `end` of the group. A reader compares both values, so it notices a group and leaves of different states. */
  readonly end: number;
  readonly leaves: readonly Leaf[];
}

/** A group and its leaves; absent before the index is active. */
export interface Place {
  readonly group: Group | undefined;
  readonly leaves: LeafRow | undefined;
}

/** The last group of an active index. */
export interface Last {
  readonly group: Pick<Group, 'id' | 'end' | 'deletes'>;
  readonly leaves: LeafRow;
}

/** One step of sealing: the group that gets rows, and the rows to add to its leaves. */
export interface Extension {
  readonly id: number;
  /** Whether the rows begin a new group, which closes the last group. */
  readonly begins: boolean;
  readonly end: number;
  readonly rows: number;
  readonly leaves: readonly Leaf[];
  /** The ids that are left for the next step. */
  readonly rest: readonly number[];
}

/** Appends the next rows to the last leaf and to new leaves, until the group is full. */
export const extend = ({ group, leaves }: Last, ids: readonly number[]): Extension => {
  const storedLeaves = leaves.leaves;
  const last = storedLeaves.at(-1);
  const freeRows = last ? Math.max(0, LEAF_ROWS - last.rows) : 0;
  const isFull = storedLeaves.length >= GROUP_LEAVES && freeRows === 0;
  const { end } = group;
  const filledRows = isFull ? 0 : Math.min(freeRows, ids.length);
  const added: Leaf[] = last && filledRows > 0 ? [{ from: last.from, rows: filledRows }] : [];
  const slots = isFull ? GROUP_LEAVES : GROUP_LEAVES - storedLeaves.length;
  let taken = filledRows;
  for (let i = 0; i < slots && taken < ids.length; i++) {
    const from = (taken === 0 ? end : (ids[taken - 1] as number)) + 1;
    const rows = Math.min(LEAF_ROWS, ids.length - taken);
    added.push({ from, rows });
    taken += rows;
  }
  return {
    id: isFull ? end + 1 : group.id,
    begins: isFull,
    end: ids[taken - 1] as number,
    rows: taken,
    leaves: added,
    rest: ids.slice(taken),
  };
};

/** The last group after an extension was stored. */
export const extended = ({ group, leaves }: Last, { id, begins, end, leaves: added }: Extension): Last => {
  const counts = new Map(begins ? [] : leaves.leaves.map((leaf) => [leaf.from, leaf.rows]));
  for (const leaf of added) counts.set(leaf.from, (counts.get(leaf.from) ?? 0) + leaf.rows);
  return {
    group: { id, end, deletes: begins ? 0 : group.deletes },
    leaves: { id, end, leaves: [...counts].map(([from, count]) => ({ from, rows: count })) },
  };
};

/** The range of ids of each leaf, with the number of its rows. */
export const rangesOf = ({ end, leaves }: LeafRow): { from: number; before: number; rows: number }[] =>
  leaves.map(({ from, rows }, i) => ({ from, before: leaves[i + 1]?.from ?? end + 1, rows }));
