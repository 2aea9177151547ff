import { test } from '@jest/globals';

/** A test of figures or files that only dynoxide has; skipped when the tests run on DynamoDB Local. */
export const testOnDynoxide = process.env['DYNAMODB_LOCAL_ENDPOINT'] ? test.skip : test;
