/** Seed of the random numbers of a test: the same in every `npm test`, and a new `SEED` in each run of .ci/nightly. */
export const SEED = Number(process.env['SEED'] ?? 1);

/** Random numbers in [0, 1), the same numbers for the same seed (mulberry32). */
export const chances = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
