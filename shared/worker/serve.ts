import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Commit } from '#shared/data/commit.ts';
import type { Queue } from '#shared/data/queue.ts';
import type { Message } from '#shared/data/queues.ts';
import { isId } from '#shared/domain/id.ts';
import type { Chore, Consumer, Places, Work } from './worker.ts';

/** What a worker's Lambda is made of, beyond the worker. */
export interface Surroundings {
  readonly places: (account: string) => Places;
  readonly commit: Commit;
  /** The queue that it sends to. */
  readonly sends: Pick<Queue, 'send'> | undefined;
  readonly report: Work['report'];
}

/** The most time that a commit or a message may take, and what is kept back to act on a failure, in milliseconds. */
const CALL_MS = 10_000;
const MARGIN_MS = 1000;

const workOf = ({ commit, sends, report }: Surroundings, context: Context): Work => {
  const remaining = () => context.getRemainingTimeInMillis();
  const deadline = () => Date.now() + Math.min(CALL_MS, remaining() - MARGIN_MS);
  return {
    now: () => new Date().toISOString(),
    remaining,
    report,
    async commit(writes) {
      return 'done' in (await commit(writes, undefined, deadline()));
    },
    async send(message) {
      if (!sends) throw new Error('The worker does not say what queue it sends to.');
      await sends.send(message, deadline());
    },
  };
};

/** @throws Error for what is no message of ours: it comes again, and in the end is a dead letter */
const messageOf = ({ body }: SQSRecord): Message => {
  const { account_id, export_id } = JSON.parse(body) as Message;
  if (typeof account_id === 'string' && account_id !== '' && isId(export_id)) return { account_id, export_id };
  throw new Error('The message names no export.');
};

const FIRST_DELAY_S = 30;

/** How long a message waits after so many deliveries, in seconds: SQS's own visibility timeout would be far longer. */
const delayOf = ({ attributes }: SQSRecord): number =>
  FIRST_DELAY_S * 2 ** (Number(attributes.ApproximateReceiveCount) - 1);

/** The Lambda handler of a consumer: each message by itself, so that one that fails does not take others along. */
export const serveQueue =
  (consumer: Consumer, around: Surroundings & { readonly queue: Pick<Queue, 'delay'> }) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const work = workOf(around, context);
    const consume = async (record: SQSRecord) => {
      const delay = delayOf(record);
      try {
        const message = messageOf(record);
        await consumer.handle({ ...work, message, again_ms: delay * 1000 }, around.places(message.account_id));
        return [];
      } catch (error) {
        around.report('a message has failed', { message_id: record.messageId, error });
        await around.queue.delay(record.receiptHandle, delay).catch(() => {});
        return [{ itemIdentifier: record.messageId }];
      }
    };
    return { batchItemFailures: (await Promise.all(Records.map(consume))).flat() };
  };

/** The Lambda handler of a worker that runs by the clock. */
export const serveSchedule =
  (chore: Chore, around: Surroundings) =>
  async (_event: unknown, context: Context): Promise<void> =>
    chore.handle(workOf(around, context), around.places);
