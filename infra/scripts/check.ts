import { spawnSync } from 'node:child_process';

// npm run check: the quick checks, one after another. Ends at the first that fails.

const STEPS = ['npm run --silent typecheck', 'npm run --silent lint', 'npm run --silent test -- test/architecture'];

for (const step of STEPS) {
  const start = performance.now();
  console.log(`\n== ${step}`);
  // npm is a script that only a shell can start on Windows.
  const { status } = spawnSync(step, { shell: true, stdio: 'inherit' });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`== ${seconds} s  ${step}${status === 0 ? '' : '  FAILED'}`);
  if (status !== 0) process.exit(status ?? 1);
}
