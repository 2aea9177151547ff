import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RunningEngine } from '#local/engine.ts';
import { openQueueAndFiles } from '#local/queue-and-files.ts';
import { openQueue } from '#local/queues.ts';
import { run } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LIMITS = { seconds: 2, memory_mb: 128 };
const VARIABLE = 'EXPORTS_QUEUE_URL';

let directory: string;
let engine: RunningEngine | undefined;
const environment = process.env;

/** What openQueueAndFiles and openQueue set, or read. */
const CLEAN = { AWS_REGION: 'local', EXPORTS_BUCKET: 'exports', AWS_ENDPOINT_URL_SQS: '', AWS_ENDPOINT_URL_S3: '' };

/** Opens the engines as a server does when it starts. */
const open = async (given: Record<string, string> = {}): Promise<void> => {
  Object.assign(environment, CLEAN, { [VARIABLE]: '' }, given);
  const opened = await openQueueAndFiles(environment, directory);
  engine = opened.engine;
  const wanted = { variable: VARIABLE, name: 'exports', limits: LIMITS, isEmbedded: opened.isQueueEmbedded };
  await openQueue(environment, wanted);
};

const files = () => {
  const endpoint = environment['AWS_ENDPOINT_URL_S3'] as string;
  return new S3Client({ endpoint, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });
};
const queue = () => new SQSClient({ endpoint: environment['AWS_ENDPOINT_URL_SQS'] as string });
const address = () => ({ QueueUrl: environment[VARIABLE] as string });

const attributes = async () => {
  const command = new GetQueueAttributesCommand({ ...address(), AttributeNames: ['All'] });
  return (await queue().send(command)).Attributes ?? {};
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'invoicing-'));
  await open();
});
afterEach(async () => {
  await engine?.stop();
  await rm(directory, { recursive: true });
});

const restart = async (given?: Record<string, string>): Promise<void> => {
  await engine?.stop();
  await open(given);
};

const Bucket = 'exports';
const Key = 'acct_1/1/1.csv';

test('files, and uploads that are half done, outlive a restart', async () => {
  await files().send(new PutObjectCommand({ Bucket, Key, Body: 'id\r\n', ContentType: 'text/csv' }));
  const half = { Bucket, Key: 'acct_1/2/1.csv' };
  const { UploadId } = await files().send(new CreateMultipartUploadCommand(half));
  const part = await files().send(new UploadPartCommand({ ...half, UploadId, PartNumber: 1, Body: 'part' }));
  await restart();
  const kept = await files().send(new GetObjectCommand({ Bucket, Key }));
  expect([kept.ContentType, await kept.Body?.transformToString()]).toEqual(['text/csv', 'id\r\n']);
  const { Uploads } = await files().send(new ListMultipartUploadsCommand({ Bucket }));
  expect(Uploads).toMatchObject([{ Key: half.Key, UploadId }]);
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: part.ETag }] };
  await files().send(new CompleteMultipartUploadCommand({ ...half, UploadId, MultipartUpload }));
  const whole = await files().send(new GetObjectCommand(half));
  expect(await whole.Body?.transformToString()).toBe('part');
});

test('messages outlive a restart, at the queue’s new address, and the received ones stay hidden', async () => {
  await queue().send(new SendMessageCommand({ ...address(), MessageBody: 'received' }));
  await queue().send(new ReceiveMessageCommand(address()));
  await queue().send(new SendMessageCommand({ ...address(), MessageBody: 'waiting' }));
  const before = environment[VARIABLE];
  await restart();
  expect(environment[VARIABLE]).not.toBe(before);
  expect(await attributes()).toMatchObject({
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesNotVisible: '1',
  });
  const { Messages } = await queue().send(new ReceiveMessageCommand(address()));
  expect(Messages).toMatchObject([{ Body: 'waiting' }]);
});

/** A process that keeps a file and a message, and then waits for its end. */
const KEEPER = `
  import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
  import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
  import { openQueueAndFiles } from '#local/queue-and-files.ts';
  import { openQueue } from '#local/queues.ts';
  await openQueueAndFiles(process.env, process.env['DATA_DIR']);
  const limits = { seconds: 2, memory_mb: 128 };
  const { url: QueueUrl } = await openQueue(process.env, {
    variable: 'EXPORTS_QUEUE_URL', name: 'exports', limits, isEmbedded: true,
  });
  const files = new S3Client({ forcePathStyle: true });
  await files.send(new PutObjectCommand({ Bucket: 'exports', Key: '${Key}', Body: 'kept' }));
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody: 'kept' }));
  console.log('acknowledged');
`;

test('CONTRACT §1: kill -9 loses nothing acknowledged', async () => {
  await engine?.stop();
  const set = { DATA_DIR: directory, AWS_REGION: 'local', EXPORTS_BUCKET: Bucket };
  const keeper = run(ROOT, ['--input-type=module', '-e', KEEPER], set);
  await keeper.printed('acknowledged');
  keeper.child.kill('SIGKILL');
  expect(await keeper.end()).toBe('SIGKILL');
  await open();
  const { Messages } = await queue().send(new ReceiveMessageCommand(address()));
  expect(Messages).toMatchObject([{ Body: 'kept' }]);
  const { Body } = await files().send(new GetObjectCommand({ Bucket, Key }));
  expect(await Body?.transformToString()).toBe('kept');
});

test('a message that is given back at once is, and keeps its count of receipts', async () => {
  await queue().send(new SendMessageCommand({ ...address(), MessageBody: 'a' }));
  const { Messages = [] } = await queue().send(new ReceiveMessageCommand(address()));
  const ReceiptHandle = Messages[0]?.ReceiptHandle;
  await queue().send(new ChangeMessageVisibilityCommand({ ...address(), ReceiptHandle, VisibilityTimeout: 0 }));
  await restart();
  const command = new ReceiveMessageCommand({ ...address(), MessageSystemAttributeNames: ['All'] });
  const again = await queue().send(command);
  expect(again.Messages).toMatchObject([{ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } }]);
});

test('the queue is as deployed: hidden for six times the worker’s time, given up after five receipts', async () => {
  const { VisibilityTimeout, RedrivePolicy = '{}' } = await attributes();
  expect(VisibilityTimeout).toBe('12');
  expect(JSON.parse(RedrivePolicy)).toEqual({
    maxReceiveCount: 5,
    deadLetterTargetArn: 'arn:aws:sqs:local:000000000000:exports-dead',
  });
});

test('CONTRACT §1: engines that the environment names get what they lack, and none is started', async () => {
  const endpoint = engine?.endpoint as string;
  const first = engine;
  const named = { AWS_ENDPOINT_URL_SQS: endpoint, AWS_ENDPOINT_URL_S3: endpoint, EXPORTS_BUCKET: 'of-mine' };
  await open({ ...named, [VARIABLE]: `${endpoint}/000000000000/queue-of-mine` });
  expect(engine).toBeUndefined();
  engine = first;
  expect(environment[VARIABLE]).toBe(`${endpoint}/000000000000/queue-of-mine`);
  expect(await attributes()).toMatchObject({ VisibilityTimeout: '12' });
  await files().send(new PutObjectCommand({ Bucket: 'of-mine', Key, Body: 'a' }));
});

test('one that does not answer is named', async () => {
  const nowhere = { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' };
  await expect(open(nowhere)).rejects.toThrow(/^No bucket can be created at http:\/\/127.0.0.1:1: .*ECONNREFUSED/);
});
