import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { CliError } from '#local/cli/cli-error.ts';
import { MAX_RECEIVE_COUNT, visibilitySeconds } from '#shared/platform/queues/queues.ts';
import type { LambdaLimits } from '#shared/runtime/defaults.ts';

interface OpenQueue {
  readonly url: string;
  readonly arn: string;
}

const findOrCreate = async (client: SQSClient, QueueName: string, endpoint: string): Promise<OpenQueue> => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName }));
  const url = new URL(new URL(QueueUrl as string).pathname, endpoint).href;
  const options = { QueueUrl: url, AttributeNames: ['QueueArn' as const] };
  const { Attributes } = await client.send(new GetQueueAttributesCommand(options));
  return { url, arn: Attributes?.['QueueArn'] as string };
};

const queueExists = async (client: SQSClient, QueueName: string): Promise<boolean> => {
  try {
    await client.send(new GetQueueUrlCommand({ QueueName }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  }
};

/** Sets the deployed queue's visibility timeout and redrive policy. */
const configure = async (
  client: SQSClient,
  { url }: OpenQueue,
  deadLetter: OpenQueue,
  { seconds }: LambdaLimits,
): Promise<void> => {
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetter.arn, maxReceiveCount: MAX_RECEIVE_COUNT });
  const Attributes = { VisibilityTimeout: String(visibilitySeconds(seconds)), RedrivePolicy };
  await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }));
};

interface QueueOptions {
  readonly variable: string;
  readonly name: string;
  readonly limits: LambdaLimits;
  /** Whether the queue is in the embedded engine, where its attributes may be overwritten. */
  readonly isEmbedded: boolean;
}

/**
 * Opens a queue, and creates it with its dead-letter queue if it is missing. Sets the queue's URL in the environment,
 * with the endpoint's own host: the SDK sends to the host in the URL, and an engine may return another host.
 */
export const openQueue = async (environment: NodeJS.ProcessEnv, options: QueueOptions): Promise<OpenQueue> => {
  const { variable, limits, isEmbedded } = options;
  const name = (!isEmbedded && environment[variable]?.split('/').at(-1)) || options.name;
  const endpoint = environment['AWS_ENDPOINT_URL_SQS'] as string;
  const client = new SQSClient({ endpoint });
  try {
    const isNew = isEmbedded || !(await queueExists(client, name));
    const queue = await findOrCreate(client, name, endpoint);
    if (isNew) await configure(client, queue, await findOrCreate(client, `${name}-dead`, endpoint), limits);
    environment[variable] = queue.url;
    return queue;
  } catch (error) {
    throw new CliError(
      `Cannot create the queue ${name} at AWS_ENDPOINT_URL_SQS=${endpoint}: ${(error as Error).message}`,
    );
  } finally {
    client.destroy();
  }
};
