import base from '../../jest.config.mjs';

/** Tests of files of the repository, without an engine: npm run check. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/architecture/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: null,
  globalTeardown: null,
};
