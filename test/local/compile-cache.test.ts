import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { runToEnd } from './command.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('compiled code: cached in the checkout, not in a folder that other users may write', async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'shared-'));
  const args = ['--import', './local/cli/compile-cache.mjs', '-p', 'process.env.NODE_COMPILE_CACHE'];
  const { stdout } = await runToEnd(ROOT, args, { TMPDIR, NODE_COMPILE_CACHE: '' });
  expect(stdout.trim()).toBe(join(ROOT, 'node_modules/.cache/compile'));
  expect(await readdir(TMPDIR)).toEqual([]);
  await rm(TMPDIR, { recursive: true });
});
