import { afterAll, expect, test } from '@jest/globals';
import { runToEnd } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

/* Mistakes in the arguments of commands for operators. */

const server = await startServer();
afterAll(() => server.stop());

const TIME = '2026-11-22T10:00:00Z';

test.each([
  ['backfill', ['customer'], /^Expected one of customers, invoices, /],
  ['backfill', ['customers', '--stage', 'prd'], /^--stage must be one of dev, prod, not "prd"\.$/],
  ['backfill', ['customers', '--after', 'acct_1'], /^--after must be <account>\/<id>, not "acct_1"\.$/],
  [
    'backfill',
    ['customers', '--after', 'acct_1/1'],
    /^There is no row acct_1\/1 any more: begin again without --after\.$/,
  ],
  ['list-functions', [], /^Expected node infra\/scripts\/list-functions\.ts --stage <stage>$/],
  ['list-functions', ['--stage', 'prd'], /^--stage must be one of dev, prod, not "prd"\.$/],
  ['restore-tables', ['--time', TIME], /^Expected a stage: /],
  ['restore-tables', ['--stage', 'prod'], /^--time must be a past time such as .*, not undefined\./],
  ['restore-tables', ['--stage', 'prod', '--time', '2026-11-22T10:00:00'], /^--time must be a past time /],
  ['restore-tables', ['--stage', 'prod', '--time', '2026-02-30T10:00:00Z'], /^--time must be a past time /],
  ['restore-tables', ['--stage', 'prod', '--time', '2999-01-01T00:00:00Z', '--yes'], /^--time must be a past time /],
  ['watch-alarms', ['invoicing-prod'], /^Expected a stack and up to 1440 minutes: /],
  ['watch-alarms', ['invoicing-prod', 'Infinity'], /^Expected a stack and up to 1440 minutes: /],
] as const)('%s %j: exit code 2, and one line', async (program, args, line) => {
  const { code, stdout, stderr } = await runToEnd(server.root, [`infra/scripts/${program}.ts`, ...args], {
    DATA_DIR: server.directory,
  });
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
  expect(stderr.trim()).toMatch(line);
});

test('npm run backfill customers --stage prod, of which npm takes --stage: exit code 2 instead of the rows of npm start', async () => {
  const environment = { DATA_DIR: server.directory, npm_lifecycle_event: 'backfill', npm_config_stage: 'true' };
  const args = ['infra/scripts/backfill.ts', 'customers', 'prod'];
  const { code, stderr } = await runToEnd(server.root, args, environment);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('Write -- before the options: npm run backfill -- --stage'),
  ]);
});
