import base from '../../jest.config.mjs';

/** `npm start` and `npm run dev` from a copy of the checkout, and all of the demo data, loaded twice: npm run test:start. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/start/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
