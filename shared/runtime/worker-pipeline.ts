import { randomInt } from 'node:crypto';
import type { Context, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Commit } from '#shared/platform/commit/commit.ts';
import type { Origin } from '#shared/platform/commit/outbox-row.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { StoresByName } from '#shared/platform/declarations/store-methods.ts';
import type { Consumer, ScheduledWorker, StreamWorker, WorkerContext } from '#shared/platform/declarations/worker.ts';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import type { Queue } from '#shared/platform/queues/queue.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import {
  countRefusals,
  currentInvocation,
  parseTrace,
  runInvocation,
  usageFields,
} from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import type { QueueName, Settings } from '#shared/vocabulary.ts';

export interface WorkerDependencies {
  readonly stores: (account: string, deadline: AbortSignal) => StoresByName;
  readonly across: (deadline: AbortSignal) => CrossAccountQueries;
  readonly commit: Commit;
  /** The queues of `sendsTo`. */
  readonly queues: { readonly [Name in QueueName]?: Pick<Queue, 'send'> };
  readonly telemetry: Telemetry;
  readonly settings: Settings;
}

/** Time limit of a commit, or of sending a message. */
const MAX_CALL_MS = 10_000;
const MARGIN_MS = 1000;
/** Time reserved to commit the outcome of the last call to S3. */
const OUTCOME_MS = MAX_CALL_MS + 2 * MARGIN_MS;

const FIRST_DELAY_S = 30;
/** Workers that choose new ids in the same millisecond can collide more than once. */
const MAX_COLLISIONS = 10;

/** Creates the Lambda handler of a consumer. It handles messages independently and reports the failed ones to SQS. */
export const serveQueue =
  (consumer: Consumer, dependencies: WorkerDependencies & { readonly queue: Pick<Queue, 'delay' | 'send'> }) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const workerContext = createContext(dependencies, context);
    const consume = async (record: SQSRecord): Promise<boolean> => {
      try {
        const body = consumer.parse(record.body);
        const stores = dependencies.stores(body.account_id, deadlineSignal(context));
        const sendAgain = (delayMs: number) => dependencies.queue.send({ body, delayMs }, callDeadline(context));
        await consumer.handle({ ...workerContext, body, sendAgain }, stores);
        return true;
      } catch (error) {
        workerContext.report('a message has failed', { message_id: record.messageId, error });
        await dependencies.queue.delay(record.receiptHandle, retryDelaySeconds(record)).catch(() => {});
        return false;
      }
    };
    const handleRecord = async (record: SQSRecord) => {
      const isDone = await consume(record);
      logMessage(record, isDone, context, dependencies.telemetry);
      return isDone ? [] : [{ itemIdentifier: record.messageId }];
    };
    const outcomes = Records.map((record) =>
      runCounted(dependencies, () => inSendersTrace(record, () => handleRecord(record))),
    );
    return { batchItemFailures: (await Promise.all(outcomes)).flat() };
  };

export const serveSchedule =
  (worker: ScheduledWorker, dependencies: WorkerDependencies) =>
  async (_event: unknown, context: Context): Promise<void> =>
    runCounted(dependencies, () => {
      const deadline = deadlineSignal(context);
      return worker.handle(createContext(dependencies, context), {
        storesOf: (account) => dependencies.stores(account, deadline),
        across: dependencies.across(deadline),
      });
    });

/**
 * Handles each account of the inserted rows once. It only reports failures, because a scheduled worker repeats the
 * work.
 */
export const serveStream =
  (worker: StreamWorker, dependencies: WorkerDependencies) =>
  async ({ Records }: DynamoDBStreamEvent, context: Context): Promise<void> =>
    runCounted(dependencies, async () => {
      const workerContext = createContext(dependencies, context);
      const inserts = Records.filter(({ eventName }) => eventName === 'INSERT');
      const accounts = new Set(inserts.map(({ dynamodb }) => dynamodb?.Keys?.['account_id']?.S ?? ''));
      const handleAccount = async (account: string) => {
        const stores = dependencies.stores(account, deadlineSignal(context));
        await worker
          .handle(workerContext, stores, account)
          .catch((error) => workerContext.report('an account was not handled', { account_id: account, error }));
      };
      await Promise.all([...accounts].map(handleAccount));
    });

const deadlineSignal = (context: Context): AbortSignal =>
  AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - OUTCOME_MS));

const createReport =
  (telemetry: Telemetry): WorkerContext['report'] =>
  (message, { error, ...fields }: { error?: Error }) =>
    error ? telemetry.warn(message, error, fields) : telemetry.log(message, fields);

const callDeadline = (context: Context): number =>
  Date.now() + Math.min(MAX_CALL_MS, context.getRemainingTimeInMillis() - MARGIN_MS);

export const newId = (): number => createId(new Date().toISOString(), randomInt(IDS_PER_MILLISECOND));

/** Commits what a worker decides, again with other ids after a collision. Resolves to false when a condition fails. */
export const commitWithNewIds = async (
  commit: Commit,
  decide: () => readonly Write[],
  origin: Origin,
  deadlineOf: () => number,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt++) {
    // The row of the outbox gets another id at each call.
    const outcome = await commit({ writes: decide(), origin: { ...origin, newId }, deadline: deadlineOf() });
    const isCollision = 'failed' in outcome && outcome.failed === 'id-collision';
    if (!isCollision || attempt === MAX_COLLISIONS) return 'done' in outcome;
  }
};

/** The local runtime adds the signal (local/gateway/invoke.ts). */
type StoppableContext = Context & Pick<WorkerContext, 'stop'>;

const createContext = (
  { commit, queues, telemetry, settings }: WorkerDependencies,
  context: Context,
): WorkerContext => {
  return {
    settings,
    now: () => new Date().toISOString(),
    newId,
    remaining: () => context.getRemainingTimeInMillis(),
    stop: (context as StoppableContext).stop,
    report: createReport(telemetry),
    count: telemetry.count,
    commit: (decide) =>
      commitWithNewIds(commit, decide, { actor: null, request_id: context.awsRequestId }, () => callDeadline(context)),
    async send(name, body, delayMs = 0) {
      const queue = queues[name];
      if (!queue) throw new Error(`sendsTo has no ${name}.`);
      await queue.send({ body, delayMs }, callDeadline(context));
    },
  };
};

/** The delay grows with the number of deliveries. The queue's visibility timeout would be far longer. */
const retryDelaySeconds = ({ attributes }: SQSRecord): number =>
  FIRST_DELAY_S * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);

const logMessage = (record: SQSRecord, isDone: boolean, { awsRequestId }: Context, telemetry: Telemetry): void => {
  const current = currentInvocation();
  const fields = { request_id: awsRequestId, message_id: record.messageId, done: isDone };
  if (current) telemetry.log('message', { ...fields, ...usageFields(current) });
};

/** Runs work as an invocation of its own, and counts the refusals of DynamoDB in it. */
const runCounted = <T>({ telemetry }: WorkerDependencies, work: () => Promise<T>): Promise<T> =>
  runInvocation(() =>
    work().finally(() => {
      const current = currentInvocation();
      if (current) countRefusals(current, telemetry);
    }),
  );

/** Handles a message in the sender's trace. */
const inSendersTrace = <T>({ messageAttributes = {} }: SQSRecord, work: () => Promise<T>): Promise<T> => {
  const { traceparent, tracestate } = messageAttributes;
  const current = currentInvocation();
  if (current) current.trace = parseTrace(traceparent?.stringValue, tracestate?.stringValue);
  return work();
};
