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
  readonly published: readonly number[];
  /** The `write_id` of each row of `published`; absent in a head of an older deployment. */
  readonly write_ids?: readonly string[];
}

export const EMPTY: HeadRow = { sequence: 0, last_id: 0, published: [] };

/** Ids are not enough: a commit that takes long can store a row with the id of a deleted row. */
export const namesOf = (rows: readonly RowName[]): Pick<HeadRow, 'published' | 'write_ids'> => ({
  published: rows.map(({ id }) => id),
  write_ids: rows.map(({ write_id }) => write_id),
});

/** The rows that a head names by id and `write_id`. */
export const namesIn = ({ published, write_ids = [] }: HeadRow): RowName[] =>
  write_ids.map((write_id, i) => ({ id: published[i] as number, write_id }));

/** Whether the head names a row. */
export const namedBy = ({ published, write_ids }: HeadRow): ((row: RowName) => boolean) => {
  const names = new Map(published.map((id, i) => [id, write_ids?.[i]]));
  return ({ id, write_id }) => names.has(id) && (names.get(id) ?? write_id) === write_id;
};
