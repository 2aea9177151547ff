import base from '../../jest.config.mjs';

/** The tests that use tables, with the engine that run.ts starts (test/support/dynamo.ts). */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['contract', 'unit/data', 'exports', 'ledger', 'condition-mutation'].map(
    (folder) => `<rootDir>/test/${folder}/**/*.test.ts`,
  ),
};
