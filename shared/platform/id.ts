/** 2024-01-01T00:00:00Z in milliseconds: the service's ids count from here. */
const EPOCH = 1_704_067_200_000;
const RANDOM_BITS = 12;

/** How many ids one millisecond of one account can hold; `random` of {@link id} is below it. */
export const IDS_PER_MILLISECOND = 2 ** RANDOM_BITS;

/**
 * A time-ordered id that fits a JSON number (CONTRACT §3): milliseconds in the high 41 bits, chance in the low 12.
 * @param at the time, RFC 3339
 * @param random an integer in 0…4095
 */
export const id = (at: string, random: number): number => (Date.parse(at) - EPOCH) * IDS_PER_MILLISECOND + random;

/** Whether a value can be an id: an integer in 1…2^53−1. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** The first id of the millisecond at which a time (epoch milliseconds) stands, within the range of ids. */
export const firstIdAt = (milliseconds: number): number =>
  Math.min(Math.max((milliseconds - EPOCH) * IDS_PER_MILLISECOND, 0), Number.MAX_SAFE_INTEGER);
