import './json.ts';
import { Across } from './data/across.ts';
import { s3 } from './data/bucket.ts';
import { dynamo } from './data/client.ts';
import { committer } from './data/commit.ts';
import { Files } from './data/files.ts';
import { Queue, sqs } from './data/queue.ts';
import { stores } from './data/stores.ts';
import { powertools } from './powertools.ts';
import { bucket, type Environment, queueUrl, tableNames } from './settings.ts';
import { type Surroundings, serveQueue, serveSchedule } from './worker/serve.ts';
import { isConsumer, type Worker } from './worker/worker.ts';

/** The clients of a worker; their addresses, region and credentials are the SDK's own variables. */
export const clients = () => ({ dynamo: dynamo(), s3: s3(), sqs: sqs() });

/**
 * The Lambda handler of a worker, its clients made from the environment.
 * @throws Error naming the variable that is missing or malformed, and what was expected
 */
export const workerLambda = (
  worker: Worker,
  environment: Environment = process.env,
  { dynamo, s3, sqs }: ReturnType<typeof clients> = clients(),
): ReturnType<typeof serveQueue> | ReturnType<typeof serveSchedule> => {
  const { bucket: name = '' } = bucket(environment, worker);
  const engine = { client: dynamo, names: tableNames(environment, worker), bucket: name };
  const around: Surroundings = {
    places: (account, ends) => ({
      ...stores(engine, account),
      files: new Files(s3, name, account, ends),
      across: new Across(engine, s3, name, ends),
    }),
    commit: committer(engine),
    sends: worker.sends && new Queue(sqs, queueUrl(environment, worker.sends)),
    telemetry: powertools(),
  };
  if (!isConsumer(worker)) return serveSchedule(worker, around);
  const queue = new Queue(sqs, queueUrl(environment, worker.trigger.queue));
  return serveQueue(worker, { ...around, queue });
};
