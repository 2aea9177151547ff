import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Commit } from '#shared/platform/data/commit.ts';
import type { Queue } from '#shared/platform/data/queue.ts';
import { effort, invocation, invoked } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { traceOf } from '#shared/platform/telemetry/trace.ts';
import type { Chore, Consumer, Places, Work } from '#shared/platform/worker.ts';

/** What a worker's Lambda is made of, beyond the worker. */
export interface Surroundings {
  /** @param ends when no call of S3 may go on, because the function has too little time left */
  readonly places: (account: string, ends: AbortSignal) => Places;
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

const endOf = (context: Context): AbortSignal =>
  AbortSignal.timeout(Math.max(1, context.getRemainingTimeInMillis() - OUTCOME_MS));

/** What failed is told with its error, anything else is only of interest. */
const reporter =
  (telemetry: Telemetry): Work['report'] =>
  (what, { error, ...facts }: { error?: Error }) =>
    error ? telemetry.warn(what, error, facts) : telemetry.log(what, facts);

const workOf = ({ commit, sends, telemetry }: Surroundings, context: Context): Work => {
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
      if (!sends) throw new Error('The worker does not say what queue it sends to.');
      await sends.send({ body, delayMs }, deadline());
    },
  };
};

const FIRST_DELAY_S = 30;

/** How long a message waits after so many deliveries, in seconds: SQS's own visibility timeout would be far longer. */
const delayOf = ({ attributes }: SQSRecord): number =>
  FIRST_DELAY_S * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);

/** One line for each message, whatever became of it. */
const tell = (record: SQSRecord, isDone: boolean, { awsRequestId }: Context, telemetry: Telemetry): void => {
  const present = invocation();
  const fields = { request_id: awsRequestId, message_id: record.messageId, done: isDone };
  if (present) telemetry.log('message', { ...fields, ...effort(present) });
};

/** Runs the work of a message as an invocation of its own, which goes on with the trace of its sender. */
const continued = <T>({ messageAttributes = {} }: SQSRecord, work: () => Promise<T>): Promise<T> =>
  invoked(() => {
    const { traceparent, tracestate } = messageAttributes;
    const present = invocation();
    if (present) present.trace = traceOf(traceparent?.stringValue, tracestate?.stringValue);
    return work();
  });

/** The Lambda handler of a consumer: each message by itself, so that one that fails does not take others along. */
export const serveQueue =
  (consumer: Consumer, around: Surroundings & { readonly queue: Pick<Queue, 'delay'> }) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const work = workOf(around, context);
    const consume = async (record: SQSRecord): Promise<boolean> => {
      const delay = delayOf(record);
      try {
        const message = consumer.parse(record.body);
        const places = around.places(message.account_id, endOf(context));
        await consumer.handle({ ...work, message, again_ms: delay * 1000 }, places);
        return true;
      } catch (error) {
        work.report('a message has failed', { message_id: record.messageId, error });
        await around.queue.delay(record.receiptHandle, delay).catch(() => {});
        return false;
      }
    };
    const settle = async (record: SQSRecord) => {
      const isDone = await consume(record);
      tell(record, isDone, context, around.telemetry);
      return isDone ? [] : [{ itemIdentifier: record.messageId }];
    };
    const settled = Records.map((record) => continued(record, () => settle(record)));
    return { batchItemFailures: (await Promise.all(settled)).flat() };
  };

/** The Lambda handler of a worker that runs by the clock. */
export const serveSchedule =
  (chore: Chore, around: Surroundings) =>
  async (_event: unknown, context: Context): Promise<void> =>
    invoked(() => {
      const ends = endOf(context);
      return chore.handle(workOf(around, context), (account) => around.places(account, ends));
    });
