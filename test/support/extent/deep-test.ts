import { test } from '@jest/globals';
import { isDeep } from './extent.ts';

/** A test that only `npm run test:deep` runs, because it takes seconds. */
export const deepTest = isDeep ? test : test.skip;
