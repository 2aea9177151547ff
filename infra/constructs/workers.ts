import { type CfnElement, Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as Lambda,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleName } from '#infra/build/bundle.ts';
import { PARALLELIZATION_FACTOR } from '#infra/settings/worker-concurrency.ts';
import {
  type Consumer,
  isConsumer,
  isStreamWorker,
  type ScheduledWorker,
  type StreamWorker,
  type Worker,
} from '#shared/platform/declarations/worker.ts';
import { workerVariables } from './environment.ts';
import { createLambda, type FunctionDependencies } from './functions.ts';
import { grantsOf } from './grants.ts';
import { wildcardFinding } from './statement.ts';

const FAILURE_HANDLING = {
  queue: 'A message that fails is delivered again, and finally moves to its dead-letter queue, which has an alarm.',
  stream: 'A scheduled worker repeats what a failed run has not done; the records are only hints.',
  schedule: 'The next scheduled run repeats what a failed run has not done; a run has no input that could be lost.',
};

/** Subscribes a worker to its queue. Only the messages in its `batchItemFailures` are delivered again. */
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
  // Lambda supports failure destinations for streams only; a queue has its dead-letter queue.
  const id = 'Serverless-LambdaEventSourceMappingDestination';
  Validations.of(source).acknowledge({ id, reason: FAILURE_HANDLING.queue });
};

/** Runs a worker on a schedule. A failed run is not retried, because the next run starts soon. */
const connectSchedule = (scope: Construct, target: Lambda, { trigger }: ScheduledWorker): void => {
  const interval = Duration.minutes(trigger.minutes);
  const rule = new Rule(scope, `${target.node.id}-schedule`, { schedule: Schedule.rate(interval) });
  rule.addTarget(new LambdaFunction(target, { retryAttempts: 0, maxEventAge: Duration.minutes(1) }));
  target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason: FAILURE_HANDLING.schedule });
  Validations.of(target).acknowledge({
    id: 'Serverless-LambdaAsyncFailureDestination',
    reason: FAILURE_HANDLING.schedule,
  });
};

const LISTS_STREAMS = 'Lambda lists the streams of the table, whose names contain the time of their creation.';

/** A record that fails is not retried: the worker reports it, and a scheduled worker does the same work. */
const connectStream = (
  scope: Construct,
  target: Lambda,
  { trigger }: StreamWorker,
  { tables }: FunctionDependencies,
): void => {
  const source = new EventSourceMapping(scope, `${target.node.id}-source`, {
    target,
    eventSourceArn: tables[trigger.insertsInto].tableStreamArn as string,
    startingPosition: StartingPosition.LATEST,
    filters: [FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT') })],
    retryAttempts: 0,
    maxRecordAge: Duration.minutes(1),
    // Records of other accounts of the shard do not wait for an invocation. Lambda keeps the order of an item's
    // records, not of an account's: the sequencers of an account may compete, and one sequencer wins.
    parallelizationFactor: PARALLELIZATION_FACTOR,
  });
  const id = 'Serverless-LambdaEventSourceMappingDestination';
  Validations.of(source).acknowledge({ id, reason: FAILURE_HANDLING.stream });
  const finding = wildcardFinding(tables[trigger.insertsInto].node.defaultChild as CfnElement, '/stream/*');
  if (target.role) Validations.of(target.role).acknowledge({ id: finding, reason: LISTS_STREAMS });
};

const description = ({ trigger }: Worker): string => {
  if ('queue' in trigger) return `Processes the messages of the queue ${trigger.queue}`;
  if ('insertsInto' in trigger) return `Processes the rows that are inserted into the table ${trigger.insertsInto}`;
  return `Runs every ${Duration.minutes(trigger.minutes).toHumanString()}`;
};

const failureHandling = (worker: Worker): string => {
  if (isConsumer(worker)) return FAILURE_HANDLING.queue;
  return isStreamWorker(worker) ? FAILURE_HANDLING.stream : FAILURE_HANDLING.schedule;
};

export const createWorker = (
  scope: Construct,
  file: string,
  worker: Worker,
  dependencies: FunctionDependencies,
): Lambda => {
  const options = {
    description: description(worker),
    limits: worker,
    grants: grantsOf(worker, dependencies),
    environment: workerVariables(worker, dependencies),
    reserved: dependencies.settings.reservedConcurrency[file],
    sendsToItself: isConsumer(worker) && worker.sendsTo?.includes(worker.trigger.queue) === true,
    failureHandling: failureHandling(worker),
  };
  const lambda = createLambda(scope, bundleName(file), options, dependencies);
  if (isConsumer(worker)) connectQueue(scope, lambda, worker, dependencies);
  else if (isStreamWorker(worker)) connectStream(scope, lambda, worker, dependencies);
  else connectSchedule(scope, lambda, worker);
  return lambda;
};
