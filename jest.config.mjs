import { availableParallelism } from 'node:os';

/** Node strips the types itself, so that there is no transformer, and lines are the source's own. */
const base = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/workarounds/vm-globals.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/cdk.out'],
};

const ENGINE = {
  globalSetup: '<rootDir>/test/support/engine/start-engine.ts',
  globalTeardown: '<rootDir>/test/support/engine/stop-engine.ts',
};

/**
 * @param files patterns of test files below test/; a `!` excludes files
 * @param options of Jest; without any, the tests share the engines of {@link ENGINE}
 */
const project = (displayName, files, options = ENGINE) => {
  const testMatch = files.map((file) => file.replace(/^(!?)/, '$1**/test/'));
  return { ...base, displayName, testMatch, ...options };
};

/** In a project of its own, because it needs no engine, measures times, or takes minutes. */
const FOLDERS = ['architecture', 'browser', 'deployed-artifact', 'e2e', 'load', 'resilience'];
const MAIN = ['**/*.test.ts', ...FOLDERS.map((folder) => `!${folder}/**`)];

const main = project('main', MAIN);

/** One for each test file. */
const projects = [
  main,
  project('architecture', ['architecture/**/*.test.ts'], {}),
  project('browser', ['browser/**/*.browser.ts']),
  project('deployed-artifact', ['deployed-artifact/**/*.test.ts'], {
    ...ENGINE,
    globalSetup: '<rootDir>/test/deployed-artifact/install-runtime-client.ts',
  }),
  project('e2e', ['e2e/**/*.test.ts']),
  project('load', ['load/**/*.test.ts']),
  project('resilience', ['resilience/**/*.test.ts']),
];

const DEEP = { globals: { IS_DEEP: true } };

/** The same test files, run in another way. */
const variants = [
  // The full extents (test/support/extent/extent.ts).
  project('deep', [...MAIN, 'resilience/**/*.test.ts'], { ...ENGINE, ...DEEP }),
  // The tests that send only requests, against the service at `BASE_URL` (test/acceptance/run.ts).
  project('acceptance', ['behaviour/**/*.test.ts', '!behaviour/internal/**'], DEEP),
  // The tests that use tables, and those of npm start without dynoxide, with AWS's DynamoDB Local.
  project(
    'dynamodb-local',
    [
      ...['behaviour', 'resilience', 'unit/platform/{store,dynamodb,files,queues}', 'condition-mutation'].map(
        (folder) => `${folder}/**/*.test.ts`,
      ),
      'e2e/{start,readme,client-downloads}.test.ts',
    ],
    { ...ENGINE, globalSetup: '<rootDir>/test/dynamodb-local/start-engine.ts' },
  ),
  // A part of npm run generate: records the examples of the OpenAPI document.
  project('record', ['openapi/examples.test.ts'], { ...ENGINE, globals: { IS_RECORDING: true } }),
];

const selects = (start) => process.argv.some((argument) => argument.startsWith(start));

/** npm test runs `main`; with `--selectProjects` other projects, and with paths below test/ the projects of the files. */
export default {
  projects: selects('--selectProjects') ? [...projects, ...variants] : selects('test/') ? projects : [main],
  // The only deadline of a test, far above what one takes on a busy machine.
  testTimeout: 600_000,
  // More than cores, because tests often wait for engines.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
};
