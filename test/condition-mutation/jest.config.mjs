import base from '../../jest.config.mjs';

/** The tests of npm run test:conditions: those of this folder. */
export default { ...base, rootDir: '../..', testPathIgnorePatterns: ['/node_modules/'] };
