import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import './credentials.ts';
import { ENGINE_STARTER } from './shared-queue-and-files.ts';

/** The address of the engine that all test files share (./shared-queue-and-files.ts). */
const findEngine = async (): Promise<string> => (await fetch(process.env[ENGINE_STARTER] as string)).text();

const keysOf = ({ AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: NodeJS.ProcessEnv) => ({
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
});

/** A queue, which all kinds of messages share, and a bucket for one test. */
export interface QueueAndFiles {
  /** The endpoint of both SQS and S3. */
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly bucket: string;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  /** The environment variables that the service needs. They are also set in this process. */
  readonly variables: Readonly<Record<string, string>>;
  /** Receives and deletes up to ten messages. */
  receive(): Promise<Message[]>;
  purge(): Promise<void>;
  /** The keys and the sizes in bytes of the files with a prefix. */
  files(prefix?: string): Promise<Map<string, number>>;
  read(key: string): Promise<Buffer>;
  /** The keys of the uploads that are neither completed nor aborted. */
  uploads(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Opens SQS and S3 in memory, with the access key of the environment. A database engine must start before, because it
 * may set another access key (./dynamo.ts).
 */
export const startTestQueueAndFiles = async (): Promise<QueueAndFiles> => {
  const credentials = keysOf(process.env);
  const endpoint = await findEngine();
  const sqs = new SQSClient({ endpoint, credentials, region: 'local' });
  // Like the service's client: a part gets no checksum if its upload declares no checksum.
  const requestChecksumCalculation = 'WHEN_REQUIRED' as const;
  const s3 = new S3Client({ endpoint, credentials, region: 'local', forcePathStyle: true, requestChecksumCalculation });
  const name = `exports-${randomUUID()}`;
  await Promise.all([
    s3.send(new CreateBucketCommand({ Bucket: name })),
    sqs.send(new CreateQueueCommand({ QueueName: name })),
  ]);
  const queueUrl = `${endpoint}/000000000000/${name}`;
  const variables = {
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    EXPORTS_QUEUE_URL: queueUrl,
    DELIVERIES_QUEUE_URL: queueUrl,
    EXPORTS_BUCKET: name,
  };
  Object.assign(process.env, variables);
  return {
    endpoint,
    queueUrl,
    bucket: name,
    sqs,
    s3,
    variables,
    async receive() {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
      if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return Messages;
    },
    async purge() {
      await sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
    },
    async files(prefix = '') {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix }));
      return new Map(Contents.map(({ Key, Size }) => [Key as string, Size as number]));
    },
    async read(key) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: name, Key: key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    async uploads() {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: name }));
      return Uploads.map(({ Key }) => Key as string);
    },
    async stop() {
      sqs.destroy();
      s3.destroy();
    },
  };
};
