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
import { startFauxqs } from '#local/engines/fauxqs/fauxqs.ts';

process.env['AWS_REGION'] ??= 'local';
process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';

const keysOf = ({ AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' }: NodeJS.ProcessEnv) => ({
  accessKeyId: AWS_ACCESS_KEY_ID,
  secretAccessKey: AWS_SECRET_ACCESS_KEY,
});

/** A queue and a bucket of a test's own, on an engine of its own. */
export interface QueueAndFiles {
  /** SQS and S3 both answer here. */
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly bucket: string;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  /** What the service reads of the environment, where it finds them; set in this process, too. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes up to ten messages off the queue. */
  receive(): Promise<Message[]>;
  /** Empties the queue. */
  purge(): Promise<void>;
  /** The keys of the files below a prefix, and their sizes in bytes. */
  files(prefix?: string): Promise<Map<string, number>>;
  read(key: string): Promise<Buffer>;
  /** The keys of the uploads that are neither completed nor aborted. */
  uploads(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts SQS and S3 in memory, for the keys that the environment holds: where tables are needed as well, after their
 * engine, which may take keys of its own (./dynamo.ts).
 */
export const startTestQueueAndFiles = async (): Promise<QueueAndFiles> => {
  const credentials = keysOf(process.env);
  const engine = await startFauxqs({ directory: undefined, keys: credentials });
  const { endpoint } = engine;
  const sqs = new SQSClient({ endpoint, credentials, region: 'local' });
  // As the service's own client: no checksum of a part that its upload does not declare.
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
      await engine.stop();
    },
  };
};
