import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { hasInstallScript?: true; integrity?: string; inBundle?: true }>;
};

/** Packages whose install scripts were reviewed: they work although the scripts do not run. */
const REVIEWED = ['@parcel/watcher', 'aws-lambda-ric', 'esbuild', 'unrs-resolver', 'vue-demi'];

test('.npmrc: install scripts are off; log level, registry and shell are npm’s defaults', () => {
  const lines = read('.npmrc').trim().split('\n');
  expect(lines).toContain('ignore-scripts=true');
  expect(lines.join('\n')).not.toMatch(/loglevel|registry|script-shell/);
});

test('a package with an install script: has been reviewed', () => {
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(names)].sort()).toEqual(REVIEWED);
});

test('every package of the lock file: has an integrity hash, or is part of a package that has one', () => {
  const unlocked = Object.entries(packages).filter(
    ([path, { integrity, inBundle }]) => path && !integrity && !inBundle,
  );
  expect(unlocked.map(([path]) => path)).toEqual([]);
});

test('package.json: no pre, post or lifecycle scripts, because ignore-scripts skips them', () => {
  const names = Object.keys(scripts);
  expect(names.filter((name) => names.some((other) => name === `pre${other}` || name === `post${other}`))).toEqual([]);
  const LIFECYCLE = /^((pre|post)?install|(pre|post)?prepare|prepublish.*|(pre|post)pack|dependencies)$/;
  expect(names.filter((name) => LIFECYCLE.test(name))).toEqual([]);
});
