import type { CheckRow } from '#shared/platform/dynamodb/client.ts';
import type { ResourceChange } from './change.ts';
import type { Write } from './write.ts';

/** The caller and the request that change resources. */
export interface Origin {
  /** The `sub` of the caller; null for a worker. */
  readonly actor: string | null;
  readonly request_id: string;
}

export interface CommitOrigin extends Origin {
  /** The id of the row of the outbox. */
  readonly newId: () => number;
}

/** Identifies a row of the outbox. The id is not enough, because it can be the id of a row that was deleted before. */
export interface RowName {
  readonly id: number;
  /** The `write_id` of the commit that stored the row (shared/platform/commit/commit.ts). */
  readonly write_id: string;
}

/** The changes of one commit that are not events yet. */
export interface OutboxRow extends Origin, RowName {
  readonly changes: readonly ResourceChange[];
}

/**
 * The head of the feed is the row of the outbox with the last id, so a query reads it after the waiting rows. A read
 * without waiting rows has a head that counts all events of commits that were complete when it began
 * (shared/platform/events/feed.ts).
 */
export const HEAD_ID = Number.MAX_SAFE_INTEGER;

/** An event without the members that the sequencer gives it. */
export const toEvent = ({ isDeletion: _, version, ...change }: ResourceChange, { actor, request_id }: Origin) => ({
  ...change,
  resource_version: version,
  actor,
  request_id,
});

/**
 * A function that creates the write of a row, with another id at each call. The write stores the changes of a commit in
 * the same transaction.
 * @param checkOf returns the check of the events. The events are checked here, because the sequencer must not stop at a
 * row of another deployment.
 * @returns undefined if the writes give no event
 */
export const createOutboxWriter = (
  writes: readonly Write[],
  origin: CommitOrigin,
  checkOf: () => CheckRow,
): (() => Write) | undefined => {
  const changes = writes.flatMap(({ change }) => change ?? []);
  const [first] = writes;
  if (!first || changes.length === 0) return undefined;
  const check = checkOf();
  for (const event of changes.map((change) => toEvent(change, origin))) check(event, Object.keys(event));
  const { actor, request_id, newId } = origin;
  return () => {
    const key = { account_id: first.key['account_id'], id: newId() };
    return {
      table: 'outbox',
      key,
      put: { ...key, changes, actor, request_id },
      condition: { clauses: [['id', 'absent']] },
      onConditionFailed: 'id-collision',
    };
  };
};
