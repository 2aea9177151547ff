import { test } from '@jest/globals';
import { isDeep } from './extent.ts';

/** A test that only the project `deep` runs, because it takes seconds. */
export const deepTest = isDeep ? test : test.skip;
