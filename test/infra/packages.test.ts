import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { hasInstallScript?: true; integrity?: string; inBundle?: true }>;
};

/** Packages whose install scripts were read, and which work without them. */
const REVIEWED = ['@parcel/watcher', 'aws-lambda-ric', 'esbuild', 'unrs-resolver', 'vue-demi'];

test('npm runs no package’s install script and hides no warning', () => {
  const lines = read('.npmrc').trim().split('\n');
  expect(lines).toContain('ignore-scripts=true');
  expect(lines.join('\n')).not.toMatch(/loglevel|registry|script-shell/);
});

test('the packages that have an install script are the reviewed ones', () => {
  const having = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = having.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(names)].sort()).toEqual(REVIEWED);
});

test('every package is locked by an integrity hash, its own or that of the package that contains it', () => {
  const open = Object.entries(packages).filter(([path, { integrity, inBundle }]) => path && !integrity && !inBundle);
  expect(open.map(([path]) => path)).toEqual([]);
});

test('no script of this repository needs another one to run before or after it: ignore-scripts skips those', () => {
  const names = Object.keys(scripts);
  expect(names.filter((name) => names.some((other) => name === `pre${other}` || name === `post${other}`))).toEqual([]);
  const LIFECYCLE = /^((pre|post)?install|(pre|post)?prepare|prepublish.*|(pre|post)pack|dependencies)$/;
  expect(names.filter((name) => LIFECYCLE.test(name))).toEqual([]);
});
