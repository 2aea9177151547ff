import base from '../../jest.config.mjs';

/** `npm start` and `npm run dev`, and what is asked of them from outside: npm run test:e2e. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
