import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, type Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleName } from '#infra/build/bundle.ts';
import { type Consumer, isConsumer, type ScheduledWorker, type Worker } from '#shared/platform/worker.ts';
import { workerVariables } from './environment.ts';
import { createLambda, type FunctionDependencies } from './functions.ts';
import { grantsOf } from './grants.ts';

const FAILING = {
  queue: 'A message that fails comes again, and in the end stands in the dead-letter queue of its queue, which rings.',
  clock: 'The next run by the clock does what this one left undone; a run holds nothing that could be lost.',
};

/** Has Lambda call a worker with the messages of its queue; those that it names in its answer come again, alone. */
const connectQueue = (
  scope: Construct,
  target: Lambda,
  { trigger }: Consumer,
  { queues }: FunctionDependencies,
): void => {
  const source = new EventSourceMapping(scope, `${target.node.id}-source`, {
    target,
    eventSourceArn: queues[trigger.queue].queue.queueArn,
    batchSize: trigger.batch,
    maxConcurrency: trigger.concurrency,
    reportBatchItemFailures: true,
  });
  // Lambda has such destinations for streams; a queue has its own.
  const id = 'Serverless-LambdaEventSourceMappingDestination';
  Validations.of(source).acknowledge({ id, reason: FAILING.queue });
};

/** Has EventBridge call a worker by the clock. A call that fails is not repeated: the next one is never far. */
const schedule = (scope: Construct, target: Lambda, { trigger }: ScheduledWorker): void => {
  const interval = Duration.minutes(trigger.minutes);
  const rule = new Rule(scope, `${target.node.id}-schedule`, { schedule: Schedule.rate(interval) });
  rule.addTarget(new LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) }));
  target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason: FAILING.clock });
  Validations.of(target).acknowledge({ id: 'Serverless-LambdaAsyncFailureDestination', reason: FAILING.clock });
};

const description = ({ trigger }: Worker): string =>
  'queue' in trigger
    ? `The messages of ${trigger.queue}`
    : `Every ${Duration.minutes(trigger.minutes).toHumanString()}`;

/** Creates the Lambda of a worker, and what starts it. */
export const createWorker = (scope: Construct, file: string, worker: Worker, around: FunctionDependencies): Lambda => {
  const own = {
    description: description(worker),
    limits: worker,
    grants: grantsOf(worker, around),
    environment: workerVariables(worker, around),
    failing: isConsumer(worker) ? FAILING.queue : FAILING.clock,
  };
  const lambda = createLambda(scope, bundleName(file), own, around);
  if (isConsumer(worker)) connectQueue(scope, lambda, worker, around);
  else schedule(scope, lambda, worker);
  return lambda;
};
