import { randomInt } from 'node:crypto';

/** 2024-01-01T00:00:00Z in milliseconds: the zero of ids. */
const EPOCH = 1_704_067_200_000;
const RANDOM_BITS = 12;

export const IDS_PER_MILLISECOND = 2 ** RANDOM_BITS;

/**
 * A time-ordered id that fits a JSON number (CONTRACT §3): 41 bits of milliseconds, then 12 random bits.
 * @param at RFC 3339
 * @param random an integer in 0…4095
 */
export const createId = (at: string, random: number): number => (Date.parse(at) - EPOCH) * IDS_PER_MILLISECOND + random;

/** Random ids with these times, which ascend with them, also within a millisecond. */
export const createIdsAt = (times: readonly string[]): number[] => {
  const ids: number[] = [];
  let last = 0;
  for (const [i, at] of [...times.entries()].sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)))) {
    last = Math.max(last + 1, createId(at, randomInt(IDS_PER_MILLISECOND / 2)));
    ids[i] = last;
  }
  return ids;
};

/** An id is an integer in 1…2^53−1. */
export const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** The first id of this millisecond since the epoch, limited to the range of ids. */
export const firstIdAt = (milliseconds: number): number =>
  Math.min(Math.max((milliseconds - EPOCH) * IDS_PER_MILLISECOND, 0), Number.MAX_SAFE_INTEGER);

/** The creation time that an id contains, in RFC 3339. */
export const timeOf = (id: number): string => new Date(Math.floor(id / IDS_PER_MILLISECOND) + EPOCH).toISOString();
