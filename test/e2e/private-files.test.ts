import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { setCredentials } from '#local/engines/credentials.ts';
import { openDatabase } from '#local/engines/database.ts';
import { startDynamo } from '#local/engines/dynamodb.ts';
import { findDynoxide } from '#local/engines/dynoxide.ts';
import { openEngines } from '#local/engines/engines.ts';
import { openQueueAndFiles } from '#local/engines/queue-and-files.ts';
import { fillEnvironment } from '#local/environment.ts';
import { openIssuer } from '#local/issuer/issuer.ts';

const before = process.umask();
let directory: string;

process.umask(0o022);
const parent = await mkdtemp(join(tmpdir(), 'private-'));
afterAll(async () => {
  process.umask(before);
  await rm(parent, { recursive: true });
});

const ENGINES = ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_S3'];
const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

beforeEach(async () => {
  directory = join(await mkdtemp(join(parent, 'start-')), 'data');
  for (const name of [...ENGINES, ...CREDENTIALS]) delete process.env[name];
});

let stop = async (): Promise<void> => {};
afterEach(() => stop());

/** Opens the issuer and the engines in the data directory, as `npm start` does. */
const start = async (): Promise<void> => {
  fillEnvironment(process.env, 'http://127.0.0.1:3000');
  await openIssuer(directory);
  const engines = await openEngines(process.env, { directory, database: join(directory, 'dynamodb.sqlite') });
  stop = () => engines.stop();
};

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

const modes = async (): Promise<Record<string, number>> => {
  const names = await readdir(directory);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await mode(join(directory, name))])));
};

/** DynamoDB Local has a directory, whose files are tested in dynamodb-local.test.ts. */
const DATABASE = findDynoxide()
  ? { 'dynamodb.sqlite': 0o600, 'dynamodb.sqlite-shm': 0o600, 'dynamodb.sqlite-wal': 0o600 }
  : { 'dynamodb-local': 0o700 };
const FILES = ['engines.env', 'fauxqs.db', 'fauxqs.db-shm', 'fauxqs.db-wal', 'issuer.json'];
const PRIVATE = { ...DATABASE, ...Object.fromEntries(FILES.map((name) => [name, 0o600])) };

test('umask 022: a new data directory is 0700, and every file in it 0600', async () => {
  await start();
  expect(await mode(directory)).toBe(0o700);
  expect(await modes()).toEqual(PRIVATE);
});

test.each([
  ['DynamoDB', () => openDatabase(process.env, join(directory, 'dynamodb.sqlite')), /^dynamodb/],
  ['SQS and S3', async () => (await openQueueAndFiles(process.env, directory)).engine, /^fauxqs/],
])('umask 022 and a directory that others may enter: the files of %s are 0600 from the start', async (_, open, own) => {
  await mkdir(directory, { mode: 0o755 });
  fillEnvironment(process.env, 'http://127.0.0.1:3000');
  setCredentials(process.env);
  const engine = await open();
  stop = async () => engine?.stop();
  expect(await modes()).toEqual(Object.fromEntries(Object.entries(PRIVATE).filter(([name]) => own.test(name))));
});

test('an existing directory in DATA_DIR: keeps its mode, because others may use it', async () => {
  await mkdir(directory, { mode: 0o755 });
  await start();
  expect(await mode(directory)).toBe(0o755);
  expect(await modes()).toEqual(PRIVATE);
});

test('engines.env: has the addresses and the keys that this start has set, and nothing else', async () => {
  const own = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  Object.assign(process.env, own);
  await start();
  const exported = [...ENGINES, ...CREDENTIALS, 'AWS_REGION'].map((name) => `export ${name}='${process.env[name]}'\n`);
  exported.push(`export AWS_DEFAULT_REGION='local'\n`);
  const file = await readFile(join(directory, 'engines.env'), 'utf8');
  expect(file).toBe(exported.join(''));
  expect(file).not.toContain('test');
  await stop();
  const foreign = await startDynamo();
  const given = { AWS_ENDPOINT_URL_DYNAMODB: foreign.endpoint, AWS_ENDPOINT_URL_SQS: '', AWS_ENDPOINT_URL_S3: '' };
  Object.assign(process.env, given, own);
  await start();
  expect(process.env['AWS_ACCESS_KEY_ID']).toBe('test');
  const written = (await readFile(join(directory, 'engines.env'), 'utf8')).matchAll(/^export (\w+)=/gm);
  const names = ['AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL_S3', 'AWS_REGION', 'AWS_DEFAULT_REGION'];
  expect([...written].map(([, name]) => name)).toEqual(names);
  await foreign.stop();
});
