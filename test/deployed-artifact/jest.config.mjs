import base from '../../jest.config.mjs';

/** Tests of the deployed bundles, of `npm run sam` and of the published client: npm run test:artifact. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/deployed-artifact/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
