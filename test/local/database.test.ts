import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { setCredentials } from '#local/engines/credentials.ts';
import { openDatabase } from '#local/engines/database.ts';
import { startDynamo } from '#local/engines/dynamodb.ts';
import { findDynoxide, startDynoxide } from '#local/engines/dynoxide.ts';
import { tableVariables } from '#local/engines/tables.ts';
import { fillEnvironment } from '#local/environment.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';

const { env } = process;
/** Variables of the SDK and of the engine. */
const NAMES = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'DYNOXIDE_BIN'];
const before = { ...env };

const directory = await mkdtemp(join(tmpdir(), 'database-'));
beforeEach(() => {
  for (const name of NAMES) delete env[name];
  fillEnvironment(env, 'http://127.0.0.1:3000');
  setCredentials(env);
});
afterEach(() => {
  for (const name of Object.keys(env)) if (!(name in before)) delete env[name];
  Object.assign(env, before);
});
afterAll(() => rm(directory, { recursive: true }));

const tablesAt = async (endpoint: string | undefined): Promise<string[]> => {
  const client = new DynamoDBClient({ endpoint: endpoint as string });
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  client.destroy();
  return TableNames.sort();
};

const ALL = Object.values(tableVariables()).sort();

testOnDynoxide('dynoxide: listens at a random address of the loopback, and not at 127.0.0.1', async () => {
  const engine = await startDynamo();
  const { hostname, port } = new URL(engine.endpoint);
  // Only Linux has other addresses of the loopback; elsewhere only the port is random.
  if (process.platform === 'linux') expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
  // Another process may listen at the same port of 127.0.0.1.
  if (process.platform === 'linux') await expect(tablesAt(`http://127.0.0.1:${port}`)).rejects.toThrow();
  await engine.stop();
});

test('an engine that the environment names: gets the missing tables, and no other is started [CONTRACT §1]', async () => {
  const engine = await startDynamo();
  Object.assign(env, { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint, INVOICES_TABLE: 'invoices-of-mine' });
  expect(await openDatabase(env, undefined)).toBeUndefined();
  const named = ALL.map((name) => (name === 'invoices' ? 'invoices-of-mine' : name)).sort();
  expect(await tablesAt(engine.endpoint)).toEqual(named);
  env['INVOICES_TABLE'] = 'invoices';
  await openDatabase(env, undefined);
  expect(await tablesAt(engine.endpoint)).toEqual([...named, 'invoices'].sort());
  await engine.stop();
});

test('an engine that does not answer: an error names its address', async () => {
  env['AWS_ENDPOINT_URL_DYNAMODB'] = 'http://localhost:1';
  await expect(openDatabase(env, undefined)).rejects.toThrow(
    /^Cannot create the tables at AWS_ENDPOINT_URL_DYNAMODB=http:\/\/localhost:1: .*ECONNREFUSED/,
  );
});

testOnDynoxide('an engine whose port another process has taken: it starts at another port', async () => {
  const [program, ports] = [join(directory, 'engine'), join(directory, 'ports')];
  const lines = [
    '#!/bin/sh',
    `echo "$4" >> ${ports}`,
    `[ "$(wc -l < ${ports})" -gt 2 ] || { echo "error: port $4 is already in use" >&2; exit 1; }`,
    `exec ${findDynoxide()} "$@"`,
  ];
  await writeFile(program, lines.join('\n'), { mode: 0o755 });
  const engine = await startDynoxide(program);
  await engine.stop();
  const tried = (await readFile(ports, 'utf8')).trim().split('\n');
  expect([tried.length, new Set(tried).size, new URL(engine.endpoint).port]).toEqual([3, 3, tried[2]]);
});

testOnDynoxide('a file that is no database: an error states why the engine did not start', async () => {
  const file = join(directory, 'text.sqlite');
  await writeFile(file, 'This is no database, but it is as long as the header of one would be. '.repeat(9));
  await expect(openDatabase(env, file)).rejects.toThrow(/^The embedded DynamoDB did not start: error: .*SQLite/);
});

test('a stopped engine: reports its end, and can be stopped again', async () => {
  const engine = await startDynamo();
  await engine.stop();
  await engine.ended;
  await engine.stop();
  await expect(fetch(engine.endpoint)).rejects.toThrow();
});
