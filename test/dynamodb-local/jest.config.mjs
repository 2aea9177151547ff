import base from '../../jest.config.mjs';

/** The tests that reach tables, as ever, but for their engine: AWS's DynamoDB Local. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['contract', 'unit/data', 'exports', 'ledger', 'condition-mutation'].map(
    (folder) => `<rootDir>/test/${folder}/**/*.test.ts`,
  ),
  moduleNameMapper: { '^#local/engines/dynamodb\\.ts$': '<rootDir>/test/dynamodb-local/engine.ts' },
};
