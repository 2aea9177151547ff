import base from '../../jest.config.mjs';

/** The tests that reach tables. run.ts names their engine, AWS's DynamoDB Local (test/support/dynamo.ts). */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['contract', 'unit/data', 'exports', 'ledger', 'condition-mutation'].map(
    (folder) => `<rootDir>/test/${folder}/**/*.test.ts`,
  ),
};
