import { basename } from 'node:path';
import { expect } from '@jest/globals';

/** Seed of the random numbers of a test: `SEED` of the environment, or a new one for each process. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

// Always prints the seed, because a run without a failure may be worth repeating.
process.stderr.write(`${basename(expect.getState().testPath ?? '')}: SEED=${SEED}\n`);

/** Random numbers in [0, 1), the same ones for the same seed (mulberry32). */
export const chances = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
