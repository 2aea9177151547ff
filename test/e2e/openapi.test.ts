import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { DOCUMENT } from '#shared/openapi/source.ts';

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['shared/openapi/write.ts', ...args], { maxBuffer: 1e8 });

test('--stdout: prints the document that npm run openapi writes', async () => {
  expect((await run('--stdout')).stdout).toBe(readFileSync(DOCUMENT, 'utf8'));
});

test('any other argument: one line on standard error, and exit code 2', async () => {
  const failed = await run('--stdin').catch((error) => error);
  expect([failed.code, failed.stdout]).toEqual([2, '']);
  expect(failed.stderr).toBe('npm run openapi takes --stdout or nothing, not --stdin.\n');
});
