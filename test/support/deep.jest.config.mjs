import base from '../../jest.config.mjs';

/** npm run test:deep: the tests of npm test and npm run test:resilience in their full extents (test/support/extent/extent.ts). */
process.env['TEST_EXTENT'] = 'deep';

export default {
  ...base,
  rootDir: '../..',
  testPathIgnorePatterns: base.testPathIgnorePatterns.filter((pattern) => !pattern.includes('/resilience/')),
  maxWorkers: '100%',
  testTimeout: 3_600_000,
};
