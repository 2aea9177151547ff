import { expect, test } from '@jest/globals';
import { ROOT } from '#local/settings/settings.ts';
import { run } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

interface Summary {
  readonly code: number | string;
  /** The capabilities that the deployment lacks. */
  readonly stdout: string;
  /** With their first lines. */
  readonly failures: readonly string[];
  readonly skipped: number;
  readonly passed: number;
}

/** Runs the acceptance suite, or a part of it, against `npm start` with these variables. */
const accept = async (variables: Readonly<Record<string, string>>, ...options: string[]): Promise<Summary> => {
  const server = await startServer([], variables);
  try {
    const token = `${process.execPath} local/token.ts`;
    const args = ['test/acceptance/run.ts', '--url', server.url, '--token-command', token, ...options];
    const command = run(ROOT, args, { DATA_DIR: server.directory });
    const code = await command.end();
    const { stdout, stderr } = command.out;
    const [, skipped = 0, passed = 0] =
      /^Tests: +(?:\d+ failed, )?(?:(\d+) skipped, )?(\d+) passed/m.exec(stderr) ?? [];
    const failures = stderr.match(/^ {2}● .*(\n(?: {4}.*)?)*/gm) ?? [];
    return { code, stdout, failures, skipped: Number(skipped), passed: Number(passed) };
  } finally {
    await server.stop();
  }
};

const SUITE = 1900;
/** Jest's own line on standard output. */
const PROJECT = 'Running one project: acceptance\n';

test('npm run acceptance against npm start: every test passes; only a budget to exceed is missing', async () => {
  const { failures, stdout, passed, ...others } = await accept({});
  expect(failures).toEqual([]);
  expect(others).toEqual({ code: 0, skipped: 1 });
  expect(stdout.split(PROJECT)).toEqual([expect.stringMatching(/^Tests that need smallBudget are skipped: .*\n$/), '']);
  expect(passed).toBeGreaterThanOrEqual(SUITE);
});

test('npm run acceptance against npm start with the budget of AWS: an account exceeds it', async () => {
  const summary = await accept({ RATE_LIMIT_PER_SECOND: '100' }, '--only', 'limits/');
  expect(summary).toMatchObject({ code: 0, stdout: PROJECT, failures: [], skipped: 0 });
  expect(summary.passed).toBeGreaterThan(10);
});
