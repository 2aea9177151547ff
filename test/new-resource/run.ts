import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * npm run test:new-resource: makes credit notes with `npm run new` in a copy of the last commit, and runs `npm run check`
 * and the tests that derive from the list of resources: the documents, the grants, and every test with the resource in
 * its title.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const run = (directory: string, program: string, ...args: readonly string[]): void => {
  const { status } = spawnSync(program, args, { cwd: directory, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}`);
};

const copy = mkdtempSync(join(tmpdir(), 'new-resource-'));
try {
  run(ROOT, 'git', 'clone', '--quiet', '--depth', '1', pathToFileURL(ROOT).href, copy);
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const npm = (...args: readonly string[]) => run(copy, 'npm', ...args);
  npm('run', '--silent', 'new', '--', 'credit-notes');
  npm('run', 'check');
  npm('test', '--', 'test/openapi', 'test/infra/synthesis');
  npm('test', '--', '--testNamePattern', 'credit.?note');
} finally {
  rmSync(copy, { recursive: true, force: true });
}
