import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CliError } from '#local/cli/cli-error.ts';
import { MAX_RECEIVE_COUNT, visibilitySeconds } from '#shared/platform/data/queues.ts';
import type { LambdaLimits } from '#shared/platform/lambda/defaults.ts';

/** A queue, as it is reached and as it is named. */
export interface OpenQueue {
  readonly url: string;
  readonly arn: string;
}

/** Creates a queue, or finds the one of that name. */
const create = async (client: SQSClient, QueueName: string, endpoint: string): Promise<OpenQueue> => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  const url = new URL(new URL(QueueUrl as string).pathname, endpoint).href;
  const wanted = { QueueUrl: url, AttributeNames: ['QueueArn' as const] };
  const { Attributes } = await client.send(new GetQueueAttributesCommand(wanted));
  return { url, arn: Attributes?.['QueueArn'] as string };
};

const isThere = async (client: SQSClient, QueueName: string): Promise<boolean> => {
  try {
    await client.send(new GetQueueUrlCommand({ QueueName }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  }
};

/** Has a queue hide and give up messages as the deployed one does. */
const arrange = async (
  client: SQSClient,
  { url }: OpenQueue,
  dead: OpenQueue,
  { seconds }: LambdaLimits,
): Promise<void> => {
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: MAX_RECEIVE_COUNT });
  const Attributes = { VisibilityTimeout: String(visibilitySeconds(seconds)), RedrivePolicy };
  await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
};

/** The queue that a worker takes its messages from, and the environment's variable for its address. */
interface QueueOptions {
  readonly variable: string;
  readonly name: string;
  readonly limits: LambdaLimits;
  /** Whether it is the embedded engine's, whose queues are ours to change. */
  readonly isEmbedded: boolean;
}

/**
 * Opens a queue with its dead-letter queue, and creates them as they are deployed where they are missing; the queue's
 * address is in the environment then. The SDK sends to the host in that address, so that it is the engine's, whatever
 * host the engine itself writes there.
 * @throws Failure when the engine does not let it
 */
export const openQueue = async (environment: NodeJS.ProcessEnv, wanted: QueueOptions): Promise<OpenQueue> => {
  const { variable, limits, isEmbedded } = wanted;
  const name = (!isEmbedded && environment[variable]?.split('/').at(-1)) || wanted.name;
  const endpoint = environment['AWS_ENDPOINT_URL_SQS'] as string;
  const client = new SQSClient({ endpoint });
  try {
    const isNew = isEmbedded || !(await isThere(client, name));
    const queue = await create(client, name, endpoint);
    if (isNew) await arrange(client, queue, await create(client, `${name}-dead`, endpoint), limits);
    environment[variable] = queue.url;
    return queue;
  } catch (error) {
    throw new CliError(`No queue can be created at ${endpoint}: ${(error as Error).message}`);
  } finally {
    client.destroy();
  }
};
