import { expect, test } from '@jest/globals';
import { ROOT } from '#local/settings/settings.ts';
import { run } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

const MIN_TESTS = 1900;

test('npm run acceptance against npm start: every test passes, none is skipped', async () => {
  const server = await startServer();
  try {
    const token = `${process.execPath} local/token.ts`;
    const args = ['test/acceptance/run.ts', '--url', server.url, '--token-command', token];
    const command = run(ROOT, args, { DATA_DIR: server.directory });
    const code = await command.end();
    const { stdout, stderr } = command.out;
    expect(stderr.match(/^ {2}● .*(\n {4}.*)*/gm) ?? []).toEqual([]);
    const [, passed, total] = /^Tests: +(\d+) passed, (\d+) total$/m.exec(stderr) ?? [];
    expect([code, stdout, passed]).toEqual([0, '', total]);
    expect(Number(passed)).toBeGreaterThanOrEqual(MIN_TESTS);
  } finally {
    await server.stop();
  }
});
