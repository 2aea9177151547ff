import base from '../../jest.config.mjs';

/** npm run test:load: one scenario at a time, because they measure times. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/load/**/*.test.ts'],
  testPathIgnorePatterns: [],
  maxWorkers: 1,
};
