import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetObjectCommand, ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LOCAL } from '#local/engines/credentials.ts';
import type { RunningEngine } from '#local/engines/engine.ts';
import { openQueueAndFiles } from '#local/engines/queue-and-files.ts';
import { openQueue } from '#local/workers/queues.ts';
import { run } from '#test/local/command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LIMITS = { seconds: 2, memory_mb: 128 };
const VARIABLE = 'EXPORTS_QUEUE_URL';

let directory: string;
let engine: RunningEngine | undefined;
const environment = process.env;

/** The variables that openQueueAndFiles and openQueue read or set. */
const INITIAL = { ...LOCAL, EXPORTS_BUCKET: 'exports', AWS_ENDPOINT_URL_SQS: '', AWS_ENDPOINT_URL_S3: '' };

/** Opens the engines as a server does when it starts. */
const open = async (given: Record<string, string> = {}): Promise<void> => {
  Object.assign(environment, INITIAL, { [VARIABLE]: '' }, given);
  const opened = await openQueueAndFiles(environment, directory);
  engine = opened.engine;
  const wanted = { variable: VARIABLE, name: 'exports', limits: LIMITS, isEmbedded: opened.isQueueEmbedded };
  await openQueue(environment, wanted);
};

const files = () =>
  new S3Client({
    endpoint: environment['AWS_ENDPOINT_URL_S3'] as string,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
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

test('a restart: messages are at the queue’s new URL, and received messages stay hidden', async () => {
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

/** A program that stores a file and a message, and then waits to be killed. */
const WRITER = `
  import { CreateMultipartUploadCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
  import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
  import { openQueueAndFiles } from '#local/engines/queue-and-files.ts';
  import { openQueue } from '#local/workers/queues.ts';
  await openQueueAndFiles(process.env, process.env['DATA_DIR']);
  const limits = { seconds: 2, memory_mb: 128 };
  const { url: QueueUrl } = await openQueue(process.env, {
    variable: 'EXPORTS_QUEUE_URL', name: 'exports', limits, isEmbedded: true,
  });
  const files = new S3Client({ forcePathStyle: true });
  await files.send(new PutObjectCommand({ Bucket: 'exports', Key: '${Key}', Body: 'kept' }));
  await files.send(new CreateMultipartUploadCommand({ Bucket: 'exports', Key: 'acct_1/2/1.csv' }));
  await new SQSClient({}).send(new SendMessageCommand({ QueueUrl, MessageBody: 'kept' }));
  console.log('acknowledged');
`;

test('kill -9: no acknowledged file, upload or message is lost [CONTRACT §1]', async () => {
  await engine?.stop();
  const set = { ...LOCAL, DATA_DIR: directory, EXPORTS_BUCKET: Bucket };
  const writer = run(ROOT, ['--input-type=module', '-e', WRITER], set);
  await writer.untilPrinted('acknowledged');
  writer.child.kill('SIGKILL');
  expect(await writer.end()).toBe('SIGKILL');
  await open();
  const { Messages } = await queue().send(new ReceiveMessageCommand(address()));
  expect(Messages).toMatchObject([{ Body: 'kept' }]);
  const { Body } = await files().send(new GetObjectCommand({ Bucket, Key }));
  expect(await Body?.transformToString()).toBe('kept');
  const { Uploads } = await files().send(new ListMultipartUploadsCommand({ Bucket }));
  expect(Uploads).toMatchObject([{ Key: 'acct_1/2/1.csv' }]);
});

test('the queue: has the visibility timeout and the receive limit of the deployed queue', async () => {
  const { VisibilityTimeout, RedrivePolicy = '{}' } = await attributes();
  expect(VisibilityTimeout).toBe('12');
  expect(JSON.parse(RedrivePolicy)).toEqual({
    maxReceiveCount: 5,
    deadLetterTargetArn: 'arn:aws:sqs:local:000000000000:exports-dead',
  });
});

test('engines that the environment names: get queue and bucket, and no other is started [CONTRACT §1]', async () => {
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

test('an engine that does not answer: an error names its address', async () => {
  const nowhere = { AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' };
  await expect(open(nowhere)).rejects.toThrow(
    /^Cannot create the bucket exports at AWS_ENDPOINT_URL_S3=http:\/\/127.0.0.1:1: .*ECONNREFUSED/,
  );
});
