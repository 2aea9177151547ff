import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOCAL } from '#local/engines/credentials.ts';
import { findJava, startDynamoDbLocal } from '#local/engines/dynamodb-local.ts';
import type { DynamoEngine } from '#local/engines/engine.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';

const java = await findJava();
const testWithJava = java ? test : test.skip;
const ALL = Object.values(tableVariables()).sort();

let directory: string;
let engine: DynamoEngine;

const start = async (): Promise<void> => {
  engine = await startDynamoDbLocal(java as string, directory);
};

const tablesAt = async ({ endpoint }: DynamoEngine, accessKeyId = engine.accessKeyId as string): Promise<string[]> => {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, credentials, region: 'local', maxAttempts: 1 });
  const { TableNames = [] } = await client.send(new ListTablesCommand()).finally(() => client.destroy());
  return TableNames.sort();
};

beforeAll(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'dynamodb-local-')), 'data');
  if (!java) return;
  await start();
  Object.assign(process.env, LOCAL, { AWS_ACCESS_KEY_ID: engine.accessKeyId });
  await createTables(engine.endpoint);
});
afterAll(async () => {
  await engine?.stop();
  await rm(directory, { recursive: true, force: true });
});

testWithJava('a client without the key of the data: finds no tables', async () => {
  expect(await tablesAt(engine)).toEqual(ALL);
  expect(await tablesAt(engine, 'local')).toEqual([]);
});

testWithJava('the directory of the data and its files: only their owner can read them', async () => {
  const key = engine.accessKeyId as string;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  const modes = ['.', 'access-key', `${key}_local.db`].map(async (name) => (await stat(join(directory, name))).mode);
  expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
});

testWithJava('another start: has the same key, and finds the data of the last one', async () => {
  const { accessKeyId } = engine;
  await engine.stop();
  await start();
  expect(engine.accessKeyId).toBe(accessKeyId);
  expect(await tablesAt(engine)).toEqual(ALL);
});

testWithJava('without a directory: each engine has its own key', async () => {
  const another = await startDynamoDbLocal(java as string);
  expect(another.accessKeyId).toMatch(/^[0-9a-f]{32}$/);
  expect(another.accessKeyId).not.toBe(engine.accessKeyId);
  await another.stop();
});

test.each([
  ['1.8.0_292', false],
  ['16.0.2', false],
  ['17.0.15', true],
  ['25-ea', true],
])('Java %s in JAVA_HOME: is used: %s', async (version, isUsed) => {
  const home = await mkdtemp(join(tmpdir(), 'java-'));
  const program = join(home, 'bin', 'java');
  await mkdir(join(home, 'bin'));
  await writeFile(program, `#!/bin/sh\necho 'openjdk version "${version}" 2025-04-15' >&2\n`, { mode: 0o700 });
  expect(await findJava({ JAVA_HOME: home })).toBe(isUsed ? program : undefined);
  await rm(home, { recursive: true });
});

test('no Java in JAVA_HOME: the PATH is not searched', async () => {
  expect(await findJava({ JAVA_HOME: directory })).toBeUndefined();
});
