import base from '../../jest.config.mjs';

/** npm run test:deep: the tests of npm test in their full extents (test/support/extent/extent.ts). */
process.env['TEST_EXTENT'] = 'deep';

export default { ...base, rootDir: '../..', testTimeout: 600_000, maxWorkers: '100%' };
