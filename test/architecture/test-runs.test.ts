import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** What Jest reads of a configuration. */
interface Config {
  readonly testMatch: readonly string[];
  readonly testPathIgnorePatterns: readonly string[];
}

/** A command of a run: the program of its npm script, and the paths to which its arguments limit it. */
interface Command {
  readonly program: string;
  readonly paths: readonly string[];
}

const commandsOf = (run: string): Command[] =>
  execFileSync(run, ['--list'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((command) => {
      const [, name = '', paths = ''] = /^npm (?:run )?(\S+)(?: -- (.+))?$/.exec(command) ?? [];
      return { program: scripts[name] ?? command, paths: paths.split(' ').filter(Boolean) };
    });

const GATE = commandsOf('.ci/run');
const NIGHT = commandsOf('.ci/nightly');

/** The configuration of a command that runs Jest; undefined for another one. */
const configOf = async ({ program }: Command): Promise<Config | undefined> => {
  const [, file] = /--config (\S+)/.exec(program) ?? (program === scripts['test'] ? ['', 'jest.config.mjs'] : []);
  return file ? (await import(join(ROOT, file))).default : undefined;
};

const isIn = (file: string, { testMatch, testPathIgnorePatterns = [] }: Config, paths: readonly string[]): boolean =>
  testMatch.some((pattern) => matchesGlob(file, pattern.replace('<rootDir>/', ''))) &&
  !testPathIgnorePatterns.some((pattern) => new RegExp(pattern.replace('<rootDir>', '')).test(`/${file}`)) &&
  (paths.length === 0 || paths.some((path) => file.includes(path)));

const FILES = globSync('test/**/*.{test,browser}.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });

/** The test files that the commands run. */
const filesOf = async (commands: readonly Command[]): Promise<Set<string>> => {
  const configs = await Promise.all(commands.map(configOf));
  return new Set(FILES.filter((file) => commands.some(({ paths }, i) => configs[i] && isIn(file, configs[i], paths))));
};

test('every test file: runs in the gate or in the night', async () => {
  const [gate, night] = await Promise.all([filesOf(GATE), filesOf(NIGHT)]);
  expect(gate.size).toBeGreaterThan(150);
  expect(night.size).toBeGreaterThan(gate.size);
  expect(FILES.filter((file) => !gate.has(file) && !night.has(file))).toEqual([]);
});

/** What tests import, configurations, and the acceptance command, which runs test/behaviour. */
const WITHOUT_TESTS = ['acceptance', 'dynamodb-local', 'support', 'workarounds'];

test('every folder of test/: has test files, or a program that the gate or the night runs', () => {
  const programs = [...GATE, ...NIGHT].map(({ program }) => program);
  const isRun = (folder: string) =>
    FILES.some((file) => file.startsWith(`test/${folder}/`)) || programs.includes(`node test/${folder}/run.ts`);
  const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !isRun(name))).toEqual(WITHOUT_TESTS);
});

test('a command of the gate that names files: each exists', () => {
  const named = GATE.flatMap(({ paths }) => paths);
  expect(named.filter((path) => !FILES.includes(path))).toEqual([]);
  expect(named.length).toBeGreaterThan(2);
});

/** What a deployment does not have: its database, its clock and its failures. */
const OWN_PROCESS =
  /'(@aws-sdk\/|#test\/support\/(engine|faults)\/|#test\/support\/service\/(clock|exports|in-process|local-service|webhooks|workers)\.ts')/;

test('a test file of behaviour/ outside internal/: sends its requests through openService alone, so that it runs on a deployment', () => {
  const files = FILES.filter((file) => file.startsWith('test/behaviour/') && !file.includes('/internal/'));
  const wrong = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return !text.includes('await openService(') || OWN_PROCESS.test(text);
  });
  expect([wrong, files.length > 15]).toEqual([[], true]);
});
