import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '#infra/build/bundle.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));

type Packages = Record<string, { hasInstallScript?: true; integrity?: string; inBundle?: true }>;

/** The project's own folder, and those of the packages that only one suite needs. */
const FOLDERS = globSync('**/package-lock.json', { cwd: ROOT, exclude: ['**/node_modules'] })
  .map(dirname)
  .sort();
const packages = FOLDERS.flatMap((folder) =>
  Object.entries((JSON.parse(read(join(folder, 'package-lock.json'))) as { packages: Packages }).packages),
);

/** Packages whose install scripts were reviewed: they work although the scripts do not run. */
const REVIEWED = ['@parcel/watcher', '@scarf/scarf', 'aws-lambda-ric', 'esbuild', 'protobufjs', 'unrs-resolver'];

test.each(FOLDERS)(
  '.npmrc of %s: install scripts are off; log level, registry and shell are npm’s defaults',
  (folder) => {
    const lines = read(join(folder, '.npmrc')).trim().split('\n');
    expect(lines).toContain('ignore-scripts=true');
    expect(lines.join('\n')).not.toMatch(/loglevel|registry|script-shell/);
  },
);

test('a package with an install script: has been reviewed', () => {
  const withScript = packages.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(names)].sort()).toEqual(REVIEWED);
});

test('every package of a lock file: has an integrity hash, or is part of a package that has one', () => {
  const unlocked = packages.filter(([path, { integrity, inBundle }]) => path && !integrity && !inBundle);
  expect(packages.length).toBeGreaterThan(300);
  expect(unlocked.map(([path]) => path)).toEqual([]);
});

test('the project’s own packages: at most 470 on one system', () => {
  const { packages: own } = JSON.parse(read('package-lock.json')) as { packages: Packages };
  const forAllSystems = Object.values(own).filter((one) => !('os' in one || 'cpu' in one));
  expect(forAllSystems.length).toBeLessThanOrEqual(470);
});

test('Dependabot: updates every folder with a lock file', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as {
    updates: { 'package-ecosystem': string; directories?: string[] }[];
  };
  const npm = updates.find((update) => update['package-ecosystem'] === 'npm');
  expect(npm?.directories).toEqual(FOLDERS.map((folder) => (folder === '.' ? '/' : `/${folder}`)));
});

test('package.json: no pre, post or lifecycle scripts, because ignore-scripts skips them', () => {
  const names = Object.keys(scripts);
  expect(names.filter((name) => names.some((other) => name === `pre${other}` || name === `post${other}`))).toEqual([]);
  const LIFECYCLE = /^((pre|post)?install|(pre|post)?prepare|prepublish.*|(pre|post)pack|dependencies)$/;
  expect(names.filter((name) => LIFECYCLE.test(name))).toEqual([]);
});

test('the scripts: run in cmd.exe, too, which has no exec of its own and sets no variables before a command', () => {
  const commands = Object.values<string>(scripts).flatMap((script) => script.split(' && '));
  const programs = new Set(commands.map((command) => command.split(' ', 1)[0]));
  expect([...programs].sort()).toEqual(['biome', 'exec', 'node', 'npm', 'tsc']);
  expect(read('exec.cmd')).toMatch(/^@%\*\r?$/m);
});

test('the scripts that need Node 24: check its version before they load TypeScript or Jest', () => {
  for (const name of ['start', 'dev', 'token', 'sam', 'test']) {
    expect(scripts[name]).toMatch(/^(exec )?node (--import \.\/)?local\/cli\/node-version\.mjs /);
  }
});
