import base from '../../jest.config.mjs';

/** Crashes, faults, races and random requests, with a part of their runs: npm run test:resilience. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/resilience/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
