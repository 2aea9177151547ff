import { availableParallelism } from 'node:os';

/** Node strips the types itself, so that there is no transformer, and lines are the source's own. */
export default {
  testEnvironment: '<rootDir>/test/workarounds/vm-globals.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These folders have configurations of their own.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...['architecture', 'deployed-artifact', 'e2e', 'load', 'resilience'].map((folder) => `<rootDir>/test/${folder}/`),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/cdk.out'],
  globalSetup: '<rootDir>/test/support/engine/start-engine.ts',
  globalTeardown: '<rootDir>/test/support/engine/stop-engine.ts',
  // The only deadline of a test, far above what one takes on a busy machine.
  testTimeout: 600_000,
  // More than cores, because these tests often wait for engines. Longer tests have configurations with one for each core.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
};
