import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '#client/source/index.ts';
import { openDeployment } from '#infra/operations/deployment.ts';
import { runToEnd } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

const server = await startServer();
afterAll(() => server.stop());

const audit = (args: readonly string[], DATA_DIR = server.directory) =>
  runToEnd(server.root, ['infra/scripts/audit.ts', ...args], { DATA_DIR });

test('npm run audit: exit code 0 without a finding, 1 with a finding, and 0 after its repair', async () => {
  const { customers } = createClient({ baseUrl: server.url, token: server.token });
  const { id } = await customers.create({ name: 'Ada' });
  expect(await audit([])).toMatchObject({ code: 0, stdout: 'npm start: 1 accounts, 0 repaired, 0 findings.\n' });
  process.env['DATA_DIR'] = server.directory;
  const { dynamo, tableNames, queueUrls, close } = await openDeployment(undefined);
  expect(queueUrls.deliveries).toMatch(/^http:.*\/deliveries$/);
  const Key = { account_id: 'acct_1', id };
  const UpdateExpression = 'ADD invoice_count :one';
  const ExpressionAttributeValues = { ':one': 1 };
  await dynamo.send(
    new UpdateCommand({ TableName: tableNames.customers, Key, UpdateExpression, ExpressionAttributeValues }),
  );
  close();
  const { code, stdout } = await audit(['--account', 'acct_1', '--json']);
  const finding = {
    account: 'acct_1',
    check: 'customers',
    table: 'customers',
    id,
    detail: 'invoice_count is 1, not 0.',
  };
  const lines = stdout.trimEnd().split('\n');
  expect([code, lines.map((line) => JSON.parse(line))]).toEqual([
    1,
    [
      { ...finding, repair: 'possible' },
      { deployment: 'npm start', accounts: 1, repaired: 0, left: 1 },
    ],
  ]);
  expect(await audit(['--repair'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 repaired, 0 findings'),
  });
  expect((await audit([])).code).toBe(0);
});

test.each([
  [['--stage', 'Other'], '--stage must be one of dev, prod, not "Other".'],
  [['--account', 'acct_typo'], 'Nothing is stored of the account "acct_typo" in npm start.'],
])('npm run audit with %j: exit code 2', async (args, text) => {
  const { code, stderr } = await audit(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
});

test('npm run audit without a running server: exit code 2', async () => {
  const { code, stderr } = await audit([], `${server.directory}/other`);
  expect([code, stderr]).toEqual([2, expect.stringContaining('npm start does not run with the data in')]);
});
