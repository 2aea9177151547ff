import { once } from 'node:events';
import { request } from 'node:http';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, expect, test } from '@jest/globals';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';

const engine = await startTestQueueAndFiles();
afterAll(() => engine.stop());

const PART_BYTES = 8 * 1024 * 1024;

const begin = async (Key: string): Promise<string> => {
  const { UploadId } = await engine.s3.send(new CreateMultipartUploadCommand({ Bucket: engine.bucket, Key }));
  return UploadId as string;
};

deepTest('a file of several parts of 8 MiB: read back unchanged', async () => {
  const { s3, bucket: Bucket } = engine;
  const Key = 'acct_1/1/1.csv';
  const UploadId = await begin(Key);
  const bodies = [Buffer.alloc(PART_BYTES, 'first'), Buffer.alloc(PART_BYTES, 'other'), Buffer.from('last')];
  const parts = await Promise.all(
    bodies.map(async (Body, i) => {
      const sent = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: i + 1, Body }));
      return { PartNumber: i + 1, ETag: sent.ETag };
    }),
  );
  const MultipartUpload = { Parts: parts };
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  expect((await engine.read(Key)).equals(Buffer.concat(bodies))).toBe(true);
  expect(await engine.files('acct_1/1/')).toEqual(new Map([[Key, 2 * PART_BYTES + 4]]));
  expect(await engine.uploads()).toEqual([]);
});

test('ListMultipartUploads, which the engine lacks: lists by prefix and page, without aborted uploads', async () => {
  const { s3, bucket: Bucket } = engine;
  const keys = ['b/2/1.csv', 'b/1/1.csv', 'b/1/1.csv', 'c/1/1.csv', 'b/<&>"/1.csv'];
  const ids = await Promise.all(keys.map(begin));
  const seen: string[] = [];
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let more = true; more; ) {
    const page = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'b/', MaxUploads: 1, ...marker }));
    seen.push(...(page.Uploads ?? []).map(({ Key }) => Key as string));
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    more = page.IsTruncated === true;
  }
  expect(seen).toEqual(['b/1/1.csv', 'b/1/1.csv', 'b/2/1.csv', 'b/<&>"/1.csv']);
  const aborts = keys.map((Key, i) => new AbortMultipartUploadCommand({ Bucket, Key, UploadId: ids[i] }));
  await Promise.all(aborts.map((abort) => s3.send(abort)));
  expect(await engine.uploads()).toEqual([]);
});

test('a consumer that disconnects while it waits: the next message stays visible', async () => {
  const { sqs, queueUrl: QueueUrl, bucket: QueueName } = engine;
  const roundTrip = () => sqs.send(new GetQueueUrlCommand({ QueueName }));
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AmazonSQS.ReceiveMessage',
    authorization: 'a',
  };
  // A connection of its own: another test file may have left one to this engine.
  const waiting = request(engine.endpoint, { method: 'POST', headers, agent: false }).on('error', () => {});
  waiting.end(JSON.stringify({ QueueUrl, WaitTimeSeconds: 20 }));
  const [socket] = await once(waiting, 'socket');
  await once(socket, 'connect');
  await roundTrip();
  socket.destroy();
  await once(socket, 'close');
  // The engine reads the end of a connection before the next request, and handles it one turn later.
  await roundTrip();
  await roundTrip();
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'next' }));
  expect(await engine.receive()).toMatchObject([{ Body: 'next' }]);
});
