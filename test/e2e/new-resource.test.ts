import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';

/* Makes purchase orders with `npm run new` in a copy of the last commit. */

let copy: string;

const run = async (program: string, ...args: readonly string[]): Promise<void> => {
  const child = spawn(program, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}.\n${out}${err}`);
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'new-resource-'));
  await run('git', 'clone', '--quiet', '--depth', '1', pathToFileURL(ROOT).href, copy);
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  await run('npm', 'run', '--silent', 'new', '--', 'purchase-orders');
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test.each([
  ['npm run check', ['run', 'check']],
  ['the tests of the documents and of the grants', ['test', '--', 'test/openapi', 'test/infra/synthesis']],
  ['every test with the resource in its title', ['test', '--', '--testNamePattern', 'purchase.?order']],
  [
    'every fault of its requests',
    ['test', '--', '--selectProjects', 'resilience', '--testNamePattern', 'purchase.?order'],
  ],
])('a new resource passes %s', async (_, args) => {
  await expect(run('npm', ...args)).resolves.toBeUndefined();
});
