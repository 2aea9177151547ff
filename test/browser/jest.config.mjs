import base from '../../jest.config.mjs';

/** The tests that need a browser: npm run test:browser. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.browser.ts'],
};
