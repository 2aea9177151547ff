import base from '../../jest.config.mjs';

/**
 * The tests that use tables, and the tests of npm start without dynoxide (test/local/checkout.ts), with AWS's DynamoDB
 * Local: npm run test:dynamodb-local.
 */
export default {
  ...base,
  rootDir: '../..',
  globalSetup: '<rootDir>/test/dynamodb-local/start-engine.ts',
  testMatch: [
    ...['behaviour', 'resilience', 'unit/platform/{store,dynamodb,files,queues}', 'condition-mutation'].map(
      (folder) => `${folder}/**/*`,
    ),
    ...['start', 'readme', 'client-downloads'].map((name) => `e2e/${name}`),
  ].map((tests) => `<rootDir>/test/${tests}.test.ts`),
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: '100%',
};
