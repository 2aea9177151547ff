import base from '../../jest.config.mjs';

/** Tests of the deployed bundles, of `npm run sam` and of the published client: npm run test:artifact. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/deployed-artifact/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Some build every bundle, which takes minutes on a busy machine.
};
