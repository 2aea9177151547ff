import '#shared/platform/workarounds/v8-json-parse-63785.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { isConsumer, isStreamWorker, type Worker } from '#shared/platform/declarations/worker.ts';
import { createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { createS3Client, Files } from '#shared/platform/files/files.ts';
import { createSqsClient, Queue } from '#shared/platform/queues/queue.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { bucket, type Environment, partitionReadUnits, productSettingsOf, queueUrl, tableNames } from './settings.ts';
import { startTelemetry } from './start-telemetry.ts';
import { serveQueue, serveSchedule, serveStream, type WorkerDependencies } from './worker-pipeline.ts';

/** @throws Error that names the missing or malformed variable and the expected value */
export const workerLambda = (
  worker: Worker,
  environment: Environment = process.env,
  { dynamo, s3, sqs }: ReturnType<typeof clients> = clients(),
  access: Pick<DynamoContext, 'checks'> = {},
): ReturnType<typeof serveQueue> | ReturnType<typeof serveSchedule> | ReturnType<typeof serveStream> => {
  const { bucket: name = '' } = bucket(environment, worker);
  const context = {
    client: dynamo,
    tableNames: tableNames(environment, worker),
    bucket: name,
    partitionReadUnits: partitionReadUnits(environment),
    ...access,
  };
  const stores = createStores(context, worker.uses);
  const dependencies: WorkerDependencies = {
    stores: (account, ends) => ({
      ...stores(account),
      ...('files' in worker.uses && { files: new Files(s3, name, account, ends) }),
    }),
    across: (ends) => new CrossAccountQueries(context, s3, name, ends),
    commit: createCommit(context),
    queues: Object.fromEntries(
      (worker.sendsTo ?? []).map((name) => [name, new Queue(sqs, queueUrl(environment, name))]),
    ),
    telemetry: startTelemetry(environment),
    settings: productSettingsOf(environment),
  };
  if (isStreamWorker(worker)) return serveStream(worker, dependencies);
  if (!isConsumer(worker)) return serveSchedule(worker, dependencies);
  const queue = new Queue(sqs, queueUrl(environment, worker.trigger.queue));
  return serveQueue(worker, { ...dependencies, queue });
};

/** Endpoints, region and credentials come from the variables of the SDK. */
export const clients = () => ({ dynamo: createDynamoClient(), s3: createS3Client(), sqs: createSqsClient() });
