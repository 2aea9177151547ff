import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { resources } from '#shared/invoicing/index.ts';

/** The files that `npm run release` reads or writes, and the sources of the document and of the recorded rows. */
const FILES = [
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
  'client/package.json',
  'docs',
  'functions',
  'infra',
  'jest.config.mjs',
  'local',
  'shared',
  'test',
];

let checkout: string;
beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'release-'));
  for (const file of FILES) await cp(join(ROOT, file), join(checkout, file), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await change('CHANGELOG.md', '## [Unreleased]\n', '## [Unreleased]\n\n### Added\n\n- A line of the next release.\n');
});
afterEach(() => rm(checkout, { recursive: true }));

const read = (file: string): Promise<string> => readFile(join(checkout, file), 'utf8');
const readJson = async (file: string) => JSON.parse(await read(file));
const change = async (file: string, from: string | RegExp, to: string): Promise<void> => {
  const text = await read(file);
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  await writeFile(join(checkout, file), changed);
};

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['infra/scripts/release.ts', ...args], { cwd: checkout });
const NIGHTLY = ['--nightly', '2026-11-25'];
const release = (...args: readonly string[]) => run(...args, ...NIGHTLY);

/** @returns the lines on standard error */
const refused = async (...args: readonly string[]): Promise<string[]> => {
  const before = await Promise.all([read('CHANGELOG.md'), read('package.json'), read('docs/api.released.txt')]);
  const { code, stderr } = await run(...args).catch((error) => error);
  expect(code).toBe(1);
  expect(await Promise.all([read('CHANGELOG.md'), read('package.json'), read('docs/api.released.txt')])).toEqual(
    before,
  );
  return stderr.trim().split('\n');
};

const LAST = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).version as string;
const [major, minor] = LAST.split('.').map(Number) as [number, number];
const NEXT_MINOR = `${major}.${minor + 1}.0`;
const NEXT_MAJOR = `${major + 1}.0.0`;
const removeFilter = () => change('shared/invoicing/index.ts', "indexes: [['email']]", 'indexes: []');

test('a new version: in the changelog with today’s date, in the packages and in the document', async () => {
  const changelog = await read('CHANGELOG.md');
  const { stdout } = await release(NEXT_MINOR);
  const today = new Date().toISOString().slice(0, 10);
  expect(await read('CHANGELOG.md')).toBe(
    changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${NEXT_MINOR}] - ${today}\n`),
  );
  const document = await readJson('docs/openapi.json');
  expect(document.info.version).toBe(NEXT_MINOR);
  expect(await read('docs/api.released.txt')).toBe(await read('docs/api.txt'));
  for (const file of ['package.json', 'client/package.json', 'package-lock.json']) {
    const before = JSON.parse(await readFile(join(ROOT, file), 'utf8'));
    if (before.packages) before.packages[''].version = NEXT_MINOR;
    expect(await readJson(file)).toEqual({ ...before, version: NEXT_MINOR });
  }
  const rows = await readJson(`test/behaviour/internal/stored-rows/releases/${NEXT_MINOR}.json`);
  expect(Object.keys(resources).filter((table) => rows.tables[table].length === 0)).toEqual([]);
  expect(stdout).toContain(`--message 'Release ${NEXT_MINOR}' --message 'Nightly run: 2026-11-25'`);
  expect(stdout).toContain(`git tag v${NEXT_MINOR}`);
});

test.each([
  ['nothing', [], `Expected a version such as 1.2.3, not nothing. The last one is ${LAST}.`],
  ['a word', ['next'], `Expected a version such as 1.2.3, not next. The last one is ${LAST}.`],
  ['a pre-release', ['9.0.0-rc.1'], `Expected a version such as 1.2.3, not 9.0.0-rc.1. The last one is ${LAST}.`],
  ['the last version', [LAST], `${LAST} is not newer than ${LAST}.`],
])('%s instead of a newer version: refused, and no file changes', async (_, args, message) => {
  expect(await refused(...args, ...NIGHTLY)).toEqual([message]);
});

test.each([[[]], [['--nightly', 'yes']]])(
  'no green run of the night, %j: refused, and no file changes',
  async (args) => {
    expect(await refused(NEXT_MINOR, ...args)).toEqual([
      'A release needs a green run of .ci/nightly for this commit: --nightly <its URL or date>.',
    ]);
  },
);

test('versions: compared as numbers, from left to right', async () => {
  await change('package.json', `"version": "${LAST}"`, '"version": "2.10.3"');
  expect(await refused('2.9.9', ...NIGHTLY)).toEqual(['2.9.9 is not newer than 2.10.3.']);
  expect(await refused('1.11.4', ...NIGHTLY)).toEqual(['1.11.4 is not newer than 2.10.3.']);
  await release('2.10.11');
});

test('a change that can break a client: refused with every place, except for a new major version [CONTRACT §11]', async () => {
  await removeFilter();
  const [reason, ...places] = await refused(NEXT_MINOR, ...NIGHTLY);
  expect(reason).toBe('These changes can break a client, and require a new major version:');
  expect(places).toContain('removed: GET /v1/customers query email');
  expect(places).toContain('removed: POST /v2/exports body.filter.email');
  await release(NEXT_MAJOR);
  expect(await read('docs/api.released.txt')).not.toContain('GET /v1/customers query email:');
  expect(await readJson('docs/openapi.json')).toMatchObject({ info: { version: NEXT_MAJOR } });
});

test('nothing under [Unreleased]: refused, and no file changes', async () => {
  await change('CHANGELOG.md', /(?<=## \[Unreleased\]\n)[\s\S]*?(?=\n## \[\d)/, '');
  expect(await refused(NEXT_MINOR, ...NIGHTLY)).toEqual(['CHANGELOG.md has nothing under [Unreleased].']);
});
