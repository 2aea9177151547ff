/** Limit of a transaction of the sequencer. The ids of its events have the time at which the transaction began. */
export const MAX_COMMIT_MS = 2000;

/** A time that is longer than the difference between two clocks. */
export const CLOCK_SKEW_MS = 4000;

/** A time that is longer than the lag of an index behind its table. */
const INDEX_LAG_MS = 4000;

/** An index contains every event whose id is older. */
export const VISIBLE_AFTER_MS = MAX_COMMIT_MS + CLOCK_SKEW_MS + INDEX_LAG_MS;
