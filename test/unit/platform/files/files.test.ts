import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createS3Client, Files, type StoredUpload } from '#shared/platform/files/files.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';

const engine = await startTestQueueAndFiles();
const client = createS3Client();
const files = new Files(client, engine.bucket, 'acct_1');
afterAll(() => {
  client.destroy();
  return engine.stop();
});

const PART = Buffer.alloc(5 * 2 ** 20, 'part');
const REST = Buffer.from('the rest');
const TYPE = 'text/plain';

const uploadParts = async (key: string, rest = REST): Promise<StoredUpload> => {
  const id = await files.beginUpload(key, TYPE);
  const etags = [await files.uploadPart(key, id, 1, PART), await files.uploadPart(key, id, 2, rest)] as string[];
  return { id, key, etags, bytes: PART.length + rest.length };
};
const complete = (upload: StoredUpload, signal = new AbortController().signal, using = files) =>
  using.completeUpload(upload, signal);

const DONE = '<CompleteMultipartUploadResult><ETag>"x-2"</ETag></CompleteMultipartUploadResult>';
const STORED = { id: 'u', key: '1/1.csv', etags: ['"a"', '"b"'], bytes: 9 };
const TIMEOUT_MS = 300;

/** Completes an upload at a server that sends these responses, each `after` milliseconds late, and counts them. */
const completeAt = async (...answers: readonly { body: string; status?: number; after?: number }[]) =>
  completeWithin(60_000, answers);

/** @param requestTimeout for calls without a timeout of their own */
const completeWithin = async (
  requestTimeout: number,
  answers: readonly { body: string; status?: number; after?: number }[],
) => {
  let given = 0;
  const server = createServer((request, response) => {
    const { body, status = 200, after = 0 } = answers[given++] ?? { body: DONE };
    request.resume();
    setTimeout(() => response.writeHead(status, { 'content-type': 'application/xml' }).end(body), after);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requestHandler = { requestTimeout, throwOnRequestTimeout: true };
  const own = new S3Client({ endpoint, region: 'local', forcePathStyle: true, requestHandler });
  try {
    return { completed: await complete(STORED, undefined, new Files(own, 'bucket', 'acct_1')), given };
  } finally {
    own.destroy();
    server.close();
  }
};

test('the files of an account: every key begins with the account [§5]', async () => {
  await files.put('1/1.csv', REST, TYPE);
  const upload = await uploadParts('1/2.csv');
  expect(await engine.uploads()).toEqual(['acct_1/1/2.csv']);
  expect(await complete(upload)).toBe(true);
  expect([...(await engine.files()).keys()]).toEqual(['acct_1/1/1.csv', 'acct_1/1/2.csv']);
  const foreign = new Files(client, engine.bucket, 'acct_2');
  expect(await foreign.read('1/1.csv')).toBeUndefined();
});

test('uploaded parts: one file, in the order of their numbers', async () => {
  await complete(await uploadParts('2/1.csv'));
  expect(Buffer.compare(await engine.read('acct_1/2/1.csv'), Buffer.concat([PART, REST]))).toBe(0);
});

describe('CompleteMultipartUpload', () => {
  test('a completion whose response was lost: a repeated call finds the object, whatever its ETag', async () => {
    const upload = await uploadParts('3/1.csv');
    await complete(upload);
    expect(await complete({ ...upload, etags: ['"of"', '"KMS"'] })).toBe(true);
    expect(await complete({ ...upload, bytes: upload.bytes + 1 })).toBe(false);
  });

  test('a part that was replaced under its number: the upload is not completed', async () => {
    const upload = await uploadParts('3/2.csv');
    await files.uploadPart('3/2.csv', upload.id, 2, Buffer.from('the rast'));
    expect(await complete(upload)).toBe(false);
    await files.abortUpload('3/2.csv', upload.id);
  });

  test.each([
    ['an error', '<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>Try again.</Message></Error>'],
    ['nothing', ''],
  ])('200 with %s in the body: the call is repeated, and the upload completed', async (_, body) => {
    expect(await completeAt({ body }, { body: DONE })).toEqual({ completed: true, given: 2 });
  });

  test('200 with an error in the body of every response: the error is thrown', async () => {
    const body = '<Error><Code>InternalError</Code><Message>Try again.</Message></Error>';
    await expect(completeAt({ body }, { body }, { body })).rejects.toMatchObject({ name: 'InternalError' });
  });

  test('200 with NoSuchUpload in the body, and no object: the upload is not completed', async () => {
    const body = '<Error><Code>NoSuchUpload</Code><Message>It is gone.</Message></Error>';
    const gone = { body: '', status: 404 };
    const { completed } = await completeAt({ body }, { body }, { body }, gone, gone, gone);
    expect(completed).toBe(false);
  });

  test('a response later than the timeout of other calls: the upload is completed', async () => {
    expect(await completeWithin(TIMEOUT_MS, [{ body: DONE, after: 3 * TIMEOUT_MS }])).toEqual({
      completed: true,
      given: 1,
    });
  });

  test('an aborted completion: throws, and a repeated call completes the upload', async () => {
    const upload = await uploadParts('3/6.csv');
    await expect(complete(upload, AbortSignal.abort())).rejects.toThrow();
    expect(await complete(upload)).toBe(true);
  });
});

test('an aborted upload or a missing file: an undefined or false result, not an error', async () => {
  const upload = await uploadParts('4/1.csv');
  await files.abortUpload('4/1.csv', upload.id);
  await files.abortUpload('4/1.csv', upload.id);
  expect(await files.uploadPart('4/1.csv', upload.id, 1, REST)).toBeUndefined();
  expect(await complete(upload)).toBe(false);
  expect(await files.read('4/1.csv')).toBeUndefined();
});
