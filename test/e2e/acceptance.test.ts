import { expect, test } from '@jest/globals';
import { ROOT } from '#local/settings/settings.ts';
import { run } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

const MIN_CHECKS = 1500;

test('npm run acceptance against npm start: every check passes, none is skipped', async () => {
  const server = await startServer();
  try {
    const token = `${process.execPath} local/token.ts`;
    const args = ['test/acceptance/run.ts', '--url', server.url, '--token-command', token];
    const command = run(ROOT, args, { DATA_DIR: server.directory });
    const code = await command.end();
    expect(command.out.stdout.match(/^ {2}FAIL .*(\n {8}.*)*/gm) ?? []).toEqual([]);
    expect([code, command.out.stderr]).toEqual([0, '']);
    const [, passed, failed, skipped] = /^\| Total \| (\d+) \| (\d+) \| (\d+) /m.exec(command.out.stdout) ?? [];
    expect([failed, skipped]).toEqual(['0', '0']);
    expect(Number(passed)).toBeGreaterThanOrEqual(MIN_CHECKS);
  } finally {
    await server.stop();
  }
});
