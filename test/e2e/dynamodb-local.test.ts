import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findJava, startDynamoDbLocal } from '#local/engines/dynamodb-local.ts';
import type { DynamoEngine, RunningEngine } from '#local/engines/engine.ts';
import { guardDynamo } from '#local/engines/guards/dynamodb.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';

const java = await findJava();
const testWithJava = java ? test : test.skip;
const KEYS = { accessKeyId: 'of-this-start', secretAccessKey: 'secret' };
const ALL = Object.values(tableVariables()).sort();

let directory: string;
let engine: DynamoEngine;
let guarded: RunningEngine;

const start = async (keys = KEYS): Promise<void> => {
  engine = await startDynamoDbLocal(java as string, directory);
  guarded = await guardDynamo(engine, keys);
};

beforeAll(async () => {
  Object.assign(process.env, {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  });
  directory = join(await mkdtemp(join(tmpdir(), 'dynamodb-local-')), 'data');
  if (!java) return;
  await start();
  await createTables(guarded.endpoint);
});
afterAll(async () => {
  await guarded?.stop();
  await rm(directory, { recursive: true, force: true });
});

const tablesAt = async (endpoint: string, keys = KEYS, region = 'local'): Promise<string[]> => {
  const client = new DynamoDBClient({ endpoint, credentials: keys, region, maxAttempts: 1 });
  const { TableNames = [] } = await client.send(new ListTablesCommand()).finally(() => client.destroy());
  return TableNames.sort();
};

testWithJava('a client with the keys of this start: reads the data, in any region', async () => {
  expect(await tablesAt(guarded.endpoint)).toEqual(ALL);
  expect(await tablesAt(guarded.endpoint, KEYS, 'eu-central-1')).toEqual(ALL);
});

testWithJava('a client with other keys: rejected by the guard, and without data at the engine itself', async () => {
  const others = { ...KEYS, accessKeyId: 'guess' };
  await expect(tablesAt(guarded.endpoint, others)).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  expect(await tablesAt(engine.endpoint, others)).toEqual([]);
});

testWithJava('the directory of the data and its files: only their owner can read them', async () => {
  const key = engine.accessKeyId as string;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  const modes = ['.', 'access-key', `${key}_local.db`].map(async (name) => (await stat(join(directory, name))).mode);
  expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
});

testWithJava('a start with other keys: finds the data of the last one', async () => {
  const others = { accessKeyId: 'of-the-next-start', secretAccessKey: 'other' };
  await guarded.stop();
  await start(others);
  expect(await tablesAt(guarded.endpoint, others)).toEqual(ALL);
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
