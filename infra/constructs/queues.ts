import { Duration, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { queues } from '#shared/invoicing/queues.ts';
import { isConsumer, type Worker } from '#shared/platform/declarations/worker.ts';
import { MAX_RECEIVE_COUNT, visibilitySeconds } from '#shared/platform/queues/queues.ts';
import type { QueueName } from '#shared/vocabulary.ts';

export interface DeployedQueue {
  readonly queue: Queue;
  /** Receives the messages that failed too often. */
  readonly deadLetter: Queue;
}

export type DeployedQueues = Readonly<Record<QueueName, DeployedQueue>>;

/** The longest retention that SQS supports. */
const MAX_RETENTION = Duration.days(14);

/** SQS's own keys by default: each use of a KMS key is a call that costs money. */
const encryptionProps = (key: IKey | undefined): QueueProps =>
  key
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key, enforceSSL: true }
    : { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

const secondsOf = (name: QueueName, workers: readonly Worker[]): number => {
  const consumer = workers.filter(isConsumer).find(({ trigger }) => trigger.queue === name);
  if (!consumer) throw new Error(`No worker takes messages from the queue ${name}.`);
  return consumer.seconds;
};

const DEAD_LETTER_RETENTION =
  'This is the dead-letter queue itself: an alarm notifies an operator, who decides what to do with a message.';

const create = (scope: Construct, name: QueueName, workers: readonly Worker[], key?: IKey): DeployedQueue => {
  const deadLetter = new Queue(scope, `${name}-dead-letters`, {
    ...encryptionProps(key),
    retentionPeriod: MAX_RETENTION,
  });
  Validations.of(deadLetter).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason: DEAD_LETTER_RETENTION });
  const queue = new Queue(scope, `${name}-queue`, {
    ...encryptionProps(key),
    visibilityTimeout: Duration.seconds(visibilitySeconds(secondsOf(name, workers))),
    deadLetterQueue: { queue: deadLetter, maxReceiveCount: MAX_RECEIVE_COUNT },
  });
  return { queue, deadLetter };
};

export const createQueues = (scope: Construct, workers: readonly Worker[], key?: IKey): DeployedQueues =>
  Object.fromEntries(
    Object.keys(queues).map((name) => [name, create(scope, name as QueueName, workers, key)]),
  ) as DeployedQueues;
