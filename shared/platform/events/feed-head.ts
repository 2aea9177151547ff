import type { RowName } from '#shared/platform/commit/outbox-row.ts';

/** The end of an account's feed. */
export interface FeedHead {
  /** The number of events. */
  readonly sequence: number;
  /** The id of the last event; 0 without events. */
  readonly last_id: number;
}

/** The stored head. It names the published rows of the outbox until they are deleted. */
export interface HeadRow extends FeedHead {
  readonly published: readonly RowName[];
}

export const EMPTY: HeadRow = { sequence: 0, last_id: 0, published: [] };

/**
 * Whether the head names a row. The id is not enough: a commit that takes long can store a row with the id of a deleted
 * row.
 */
export const namedBy = ({ published }: HeadRow): ((row: RowName) => boolean) => {
  const names = new Map(published.map(({ id, write_id }) => [id, write_id]));
  return ({ id, write_id }) => names.get(id) === write_id;
};
