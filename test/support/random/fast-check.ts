import fc from 'fast-check';
import { SEED } from '#test/support/extent/seed.ts';

/** fast-check with the seed of the run. */
fc.configureGlobal({ seed: SEED });

export { default } from 'fast-check';
