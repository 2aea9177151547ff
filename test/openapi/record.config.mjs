import base from '../../jest.config.mjs';

/** A part of `npm run generate`: records the examples of the OpenAPI document. */
process.env['RECORD'] = '1';

export default { ...base, rootDir: '../..', testMatch: ['<rootDir>/test/openapi/examples.test.ts'] };
