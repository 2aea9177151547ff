import base from '../../jest.config.mjs';

/** The whole of the demo data, loaded twice over: npm run test:demo. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/demo/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
