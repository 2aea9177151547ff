import type { OutboxRow } from '#shared/platform/commit/outbox-row.ts';

/**
 * The rows of two reads of an outbox that become events now, in the order of their commits: by version within a
 * resource, otherwise by id.
 *
 * A read is not a snapshot: the first read may contain a commit without the commit before it. The second read contains
 * every commit that was complete when the first read ended. So the result contains the rows of the first read, and their
 * predecessors in the second read (docs/decisions/0039).
 */
export const inCommitOrder = (first: readonly OutboxRow[], second: readonly OutboxRow[]): OutboxRow[] => {
  const rows = second.toSorted((a, b) => a.id - b.id);
  const predecessors = predecessorsOf(rows);
  const taken = new Set(first.map(({ id }) => id));
  const ordered = new Set<OutboxRow>();
  for (const row of rows) if (taken.has(row.id)) append(row, predecessors, ordered);
  return [...ordered];
};

type Predecessors = ReadonlyMap<OutboxRow, readonly OutboxRow[]>;

/** Appends a row after its predecessors. Iterative, because their chain can be longer than the call stack. */
const append = (row: OutboxRow, predecessors: Predecessors, ordered: Set<OutboxRow>): void => {
  const path = [row];
  for (let last = path.at(-1); last; last = path.at(-1)) {
    const missing = predecessors.get(last)?.find((before) => !ordered.has(before));
    if (missing) path.push(missing);
    else {
      ordered.add(last);
      path.pop();
    }
  }
};

/** For each row, the rows with the previous version of one of its resources. */
const predecessorsOf = (rows: readonly OutboxRow[]): Predecessors => {
  const changes = rows.flatMap((row) => row.changes.map((change) => ({ row, ...change })));
  const byResource = Map.groupBy(changes, ({ resource_type, resource_id }) => `${resource_type}#${resource_id}`);
  const predecessors = new Map<OutboxRow, OutboxRow[]>();
  for (const ofResource of byResource.values()) {
    // A deletion has the version of the change before it.
    ofResource.sort((a, b) => a.version - b.version || Number(a.isDeletion ?? 0) - Number(b.isDeletion ?? 0));
    for (const [i, { row }] of ofResource.entries()) {
      const before = ofResource[i - 1];
      if (before) predecessors.set(row, [...(predecessors.get(row) ?? []), before.row]);
    }
  }
  return predecessors;
};
