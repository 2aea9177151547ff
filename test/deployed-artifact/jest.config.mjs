import base from '../../jest.config.mjs';

/** What is deployed, under Lambda's own runtime client, what sam is given, and what is published: npm run test:artifact. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/deployed-artifact/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
