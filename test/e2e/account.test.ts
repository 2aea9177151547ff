import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '#client/source/index.ts';
import { runToEnd } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';

const server = await startServer();
afterAll(() => server.stop());

const command = (...args: readonly string[]) =>
  runToEnd(server.root, ['infra/scripts/account.ts', ...args], { DATA_DIR: server.directory });

test('npm run account: counts the data of npm start, and exports it only with --yes', async () => {
  const client = createClient({ baseUrl: server.url, token: server.token, version: 'v2' });
  const customer = await client.customers.create({ name: 'Ada' });
  for (const action of ['export', 'erase']) {
    const { code, stdout, stderr } = await command(action, 'acct_1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^acct_1 of npm start:\n.*^ +1 {2}customers$.*^Nothing was changed\./ms);
  }
  const folder = join(server.root, 'exported');
  expect(await command('export', 'acct_1', '--to', folder, '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(await readFile(join(folder, 'customers.jsonl'), 'utf8'))).toEqual(customer);
  const again = await command('export', 'acct_1', '--to', folder, '--yes');
  expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/^The folder .* is not empty\.\n$/) });
});

test.each([
  ['erase', 'acct_9'],
  ['export', 'acct_9'],
  ['export', 'acct_9', '--to', 'never', '--yes'],
  ['erase', 'acct_9', '--yes'],
])('npm run account -- %s %s %s, an account without data: exit code 2, and nothing is written', async (...args) => {
  const stderr = 'acct_9 has no data in npm start.\n';
  expect(await command(...args)).toEqual({ code: 2, stdout: '', stderr });
  expect(existsSync(join(server.root, 'never'))).toBe(false);
});

test.each([
  [[]],
  [['delete', 'acct_1']],
  [['erase']],
  [['erase', 'acct_1#']],
  [['erase', 'acct_1', 'acct_2']],
  [['erase', 'acct_1', '--to', 'x']],
  [['export', 'acct_1', '--to', 'x']],
  [['export', 'acct_1', '--yes']],
])('npm run account -- %p: exit code 2, and one line with the usage', async (args) => {
  const { code, stdout, stderr } = await command(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^.*npm run account -- export\|erase <account>.*\n$/);
});
