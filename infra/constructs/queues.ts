import { Duration, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type QueueName, queues } from '#shared/invoicing/queues.ts';
import { MAX_RECEIVE_COUNT, visibilitySeconds } from '#shared/platform/data/queues.ts';
import { isConsumer, type Worker } from '#shared/platform/worker.ts';

/** A queue as it is deployed. */
export interface DeployedQueue {
  readonly queue: Queue;
  /** Where the messages end that no worker could deal with. */
  readonly deadLetter: Queue;
}

export type DeployedQueues = Readonly<Record<QueueName, DeployedQueue>>;

/** SQS keeps a message for no longer than this. */
const LONGEST = Duration.days(14);

/** With keys of SQS's own, unless the stage has one: each use of a key of KMS is a call, and paid for. */
const secure = (key: IKey | undefined): QueueProps =>
  key
    ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key, enforceSSL: true }
    : { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };

/** How long the queue's worker may take, in seconds. */
const secondsOf = (name: QueueName, workers: readonly Worker[]): number => {
  const consumer = workers.filter(isConsumer).find(({ trigger }) => trigger.queue === name);
  if (!consumer) throw new Error(`No worker takes messages from the queue ${name}.`);
  return consumer.seconds;
};

const DEAD_LETTER_RETENTION =
  'It is the dead-letter queue itself: an alarm rings, and an operator decides what becomes of a message.';

const create = (scope: Construct, name: QueueName, workers: readonly Worker[], key?: IKey): DeployedQueue => {
  const deadLetter = new Queue(scope, `${name}-dead-letters`, { ...secure(key), retentionPeriod: LONGEST });
  Validations.of(deadLetter).acknowledge({ id: 'Serverless-SQSRedrivePolicy', reason: DEAD_LETTER_RETENTION });
  const queue = new Queue(scope, `${name}-queue`, {
    ...secure(key),
    visibilityTimeout: Duration.seconds(visibilitySeconds(secondsOf(name, workers))),
    deadLetterQueue: { queue: deadLetter, maxReceiveCount: MAX_RECEIVE_COUNT },
  });
  return { queue, deadLetter };
};

/** Creates the queues of shared/invoicing/queues.ts, each with a dead-letter queue. */
export const createQueues = (scope: Construct, workers: readonly Worker[], key?: IKey): DeployedQueues =>
  Object.fromEntries(
    Object.keys(queues).map((name) => [name, create(scope, name as QueueName, workers, key)]),
  ) as DeployedQueues;
