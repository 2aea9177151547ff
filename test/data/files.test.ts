import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Files } from '#shared/data/files.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/queue-and-files.ts';

let engine: QueueAndFiles;
let files: Files;

beforeAll(async () => {
  engine = await startTestQueueAndFiles();
  files = new Files(engine.s3, engine.bucket, 'acct_1');
});
afterAll(() => engine.stop());

const PART = randomBytes(5 * 2 ** 20);
const REST = Buffer.from('the rest');
const TYPE = 'text/plain';

const uploaded = async (name: string, rest = REST) => {
  const upload = await files.begin(name, TYPE);
  const parts = [await files.part(name, upload, 2, PART), await files.part(name, upload, 5, rest)];
  return { upload, parts: parts.filter((part) => part !== undefined) };
};

test('§5: every key begins with the account', async () => {
  await files.put('1/1.csv', REST, TYPE);
  const { upload, parts } = await uploaded('1/2.csv');
  expect(await engine.uploads()).toEqual(['acct_1/1/2.csv']);
  expect(await files.complete('1/2.csv', upload, parts)).toBe(true);
  expect([...(await engine.files()).keys()]).toEqual(['acct_1/1/1.csv', 'acct_1/1/2.csv']);
  const foreign = new Files(engine.s3, engine.bucket, 'acct_2');
  expect(await foreign.read('1/1.csv')).toBeUndefined();
});

test('parts are one file in the order of their numbers, some of which may be missing', async () => {
  const { upload, parts } = await uploaded('2/1.csv');
  await files.complete('2/1.csv', upload, parts);
  expect(Buffer.compare(await engine.read('acct_1/2/1.csv'), Buffer.concat([PART, REST]))).toBe(0);
});

test('a completion whose answer was lost is known by the object’s tag; one of other parts is not', async () => {
  const { upload, parts } = await uploaded('3/1.csv');
  await files.complete('3/1.csv', upload, parts);
  expect(await files.complete('3/1.csv', upload, parts)).toBe(true);
  const other = await uploaded('3/2.csv', Buffer.from('the rast'));
  expect(await files.complete('3/1.csv', upload, other.parts)).toBe(false);
});

test('what is gone is an answer, not a fault', async () => {
  const { upload, parts } = await uploaded('4/1.csv');
  await files.abort('4/1.csv', upload);
  await files.abort('4/1.csv', upload);
  expect(await files.part('4/1.csv', upload, 1, REST)).toBeUndefined();
  expect(await files.complete('4/1.csv', upload, parts)).toBe(false);
  expect(await files.read('4/1.csv')).toBeUndefined();
});
