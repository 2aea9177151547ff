import { test } from '@jest/globals';

/** A test whose figures or files are those of dynoxide; skipped when the tests run on DynamoDB Local. */
export const testOnDynoxide = process.env['DYNAMODB_LOCAL_ENDPOINT'] ? test.skip : test;
