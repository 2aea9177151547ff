import base from '../../jest.config.mjs';

/** The tests that reach tables, as ever, but for their engine: AWS's DynamoDB Local. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['contract', 'data', 'exports', 'ledger', 'guards'].map(
    (folder) => `<rootDir>/test/${folder}/**/*.test.ts`,
  ),
  moduleNameMapper: { '^#local/engine\\.ts$': '<rootDir>/test/engines/engine.ts' },
};
