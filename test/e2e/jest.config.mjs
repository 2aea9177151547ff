import base from '../../jest.config.mjs';

/** Tests of `npm start`, `npm run dev` and other commands as processes: npm run test:e2e. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Some start servers and build every bundle, which takes minutes on a busy machine.
  maxWorkers: '100%',
};
