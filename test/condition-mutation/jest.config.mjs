import base from '../../jest.config.mjs';

/** The tests as ever, but for the runtime: it records the guards of every write, and can take one out. */
export default {
  ...base,
  rootDir: '../..',
  moduleNameMapper: { '^#shared/lambda/runtime\\.ts$': '<rootDir>/test/condition-mutation/runtime.ts' },
};
