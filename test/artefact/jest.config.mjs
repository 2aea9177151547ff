import base from '../../jest.config.mjs';

/** The deployed artefact under Lambda's own runtime client: npm run test:artefact. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/artefact/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
