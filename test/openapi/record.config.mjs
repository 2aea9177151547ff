import base from '../../jest.config.mjs';

/** Records the examples of the OpenAPI document again: npm run openapi:record. */
process.env['RECORD'] = '1';

export default { ...base, rootDir: '../..', testMatch: ['<rootDir>/test/openapi/examples.test.ts'] };
