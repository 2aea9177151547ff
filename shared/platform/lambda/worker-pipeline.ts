import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Commit } from '#shared/platform/data/commit.ts';
import type { Queue } from '#shared/platform/data/queue.ts';
import { invocation, runInvocation, usageFields } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { traceOf } from '#shared/platform/telemetry/trace.ts';
import type { Consumer, ScheduledWorker, WorkerContext, WorkerStores } from '#shared/platform/worker.ts';

/** What a worker's Lambda needs beyond the worker. */
export interface WorkerDependencies {
  /** @param ends aborts the calls of S3, because the function has too little time left */
  readonly stores: (account: string, ends: AbortSignal) => WorkerStores;
  readonly commit: Commit;
  /** The queue that it sends to. */
  readonly sends: Pick<Queue, 'send'> | undefined;
  readonly telemetry: Telemetry;
}

/** The most time that a commit or a message may take, and what is kept back to act on a failure, in milliseconds. */
const CALL_MS = 10_000;
const MARGIN_MS = 1000;
/** What is kept back of the function's time to commit the outcome of the last call of S3. */
const OUTCOME_MS = CALL_MS + 2 * MARGIN_MS;

const deadlineSignal = (context: Context): AbortSignal =>
  AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - OUTCOME_MS));

const reporter =
  (telemetry: Telemetry): WorkerContext['report'] =>
  (what, { error, ...facts }: { error?: Error }) =>
    error ? telemetry.warn(what, error, facts) : telemetry.log(what, facts);

const contextOf = ({ commit, sends, telemetry }: WorkerDependencies, context: Context): WorkerContext => {
  const remaining = () => context.getRemainingTimeInMillis();
  const deadline = () => Date.now() + Math.min(CALL_MS, remaining() - MARGIN_MS);
  return {
    now: () => new Date().toISOString(),
    remaining,
    report: reporter(telemetry),
    count: telemetry.count,
    async commit(writes) {
      return 'done' in (await commit(writes, undefined, deadline()));
    },
    async send(body, delayMs = 0) {
      if (!sends) throw new Error('The worker does not declare the queue that it sends to.');
      await sends.send({ body, delayMs }, deadline());
    },
  };
};

const FIRST_DELAY_S = 30;

/** How long a message waits after so many deliveries, in seconds: SQS's own visibility timeout would be far longer. */
const retryDelaySeconds = ({ attributes }: SQSRecord): number =>
  FIRST_DELAY_S * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);

/** One line for each message, done or failed. */
const logMessage = (record: SQSRecord, isDone: boolean, { awsRequestId }: Context, telemetry: Telemetry): void => {
  const present = invocation();
  const fields = { request_id: awsRequestId, message_id: record.messageId, done: isDone };
  if (present) telemetry.log('message', { ...fields, ...usageFields(present) });
};

/** Runs the worker of a message as an invocation of its own, which continues the trace of the sender. */
const inSendersTrace = <T>({ messageAttributes = {} }: SQSRecord, work: () => Promise<T>): Promise<T> =>
  runInvocation(() => {
    const { traceparent, tracestate } = messageAttributes;
    const present = invocation();
    if (present) present.trace = traceOf(traceparent?.stringValue, tracestate?.stringValue);
    return work();
  });

/** The Lambda handler of a consumer: each message by itself, so that one that fails does not take others along. */
export const serveQueue =
  (consumer: Consumer, dependencies: WorkerDependencies & { readonly queue: Pick<Queue, 'delay'> }) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const workerContext = contextOf(dependencies, context);
    const consume = async (record: SQSRecord): Promise<boolean> => {
      const delay = retryDelaySeconds(record);
      try {
        const body = consumer.parse(record.body);
        const stores = dependencies.stores(body.account_id, deadlineSignal(context));
        await consumer.handle({ ...workerContext, body, retryDelayMs: delay * 1000 }, stores);
        return true;
      } catch (error) {
        workerContext.report('a message has failed', { message_id: record.messageId, error });
        await dependencies.queue.delay(record.receiptHandle, delay).catch(() => {});
        return false;
      }
    };
    const settle = async (record: SQSRecord) => {
      const isDone = await consume(record);
      logMessage(record, isDone, context, dependencies.telemetry);
      return isDone ? [] : [{ itemIdentifier: record.messageId }];
    };
    const settled = Records.map((record) => inSendersTrace(record, () => settle(record)));
    return { batchItemFailures: (await Promise.all(settled)).flat() };
  };

/** The Lambda handler of a worker that runs by the clock. */
export const serveSchedule =
  (worker: ScheduledWorker, dependencies: WorkerDependencies) =>
  async (_event: unknown, context: Context): Promise<void> =>
    runInvocation(() => {
      const ends = deadlineSignal(context);
      return worker.handle(contextOf(dependencies, context), (account) => dependencies.stores(account, ends));
    });
