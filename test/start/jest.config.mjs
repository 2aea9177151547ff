import base from '../../jest.config.mjs';

/** `npm start` and `npm run dev`, and what is asked of them from outside: npm run test:start. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/start/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
