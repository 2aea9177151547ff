import base from '../../jest.config.mjs';

/** The tests that send only requests, in their full extents, against the service at `BASE_URL` (run.ts). */
process.env['TEST_EXTENT'] = 'deep';

export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/behaviour/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/behaviour/internal/'],
  // The service has engines of its own.
  globalSetup: null,
  globalTeardown: null,
  testTimeout: 120_000,
  // More workers than cores, because these tests mostly wait for responses.
  maxWorkers: 6,
};
