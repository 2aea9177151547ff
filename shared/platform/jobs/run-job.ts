import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { Message } from '#shared/vocabulary.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { Lease } from './lease.ts';
import { claimed, isClaimable, type JobState, MAX_MESSAGE_DELAY_MS, type OwnFields } from './state.ts';

/** The work of a job. It is not a part of `Job`, so the reconciler's bundle does not contain it. */
export interface JobHandler<T extends JobState> {
  onClaim(row: T, at: string): OwnFields<T>;
  /** Runs one attempt, which ends or releases the job. When it throws, the attempt fails. */
  run(lease: Lease<T>): Promise<void>;
}

/**
 * Runs the job of a message. A late, forged or duplicate message changes nothing. A message that arrives before the
 * job's start is sent again. When it would have to wait too long, the reconciler sends another message.
 * @throws when neither an attempt nor its failure could be stored
 */
export const runJob = async <T extends JobState, M extends Message, S>(
  job: Job<T, M, S>,
  message: QueueMessage<M>,
  stores: S,
  handler: JobHandler<T>,
): Promise<void> => {
  const { body, now, report } = message;
  const row = await findJob(job, stores, job.toId(body));
  if (!row) return report('the job of a message does not exist', body);
  if (job.hasEnded(row)) return;
  const delayMs = job.startDelayMs(row, now());
  if (delayMs > 0) return delayMs <= MAX_MESSAGE_DELAY_MS ? message.sendAgain(delayMs) : undefined;
  if (!isClaimable(job, row, now())) return;
  const stored = {
    find: () => findJob(job, stores, row.id),
    commit: (before: T, after: T) => commitJob(job, message, stores, before, after),
  };
  const at = now();
  const claim = claimed(job, row, handler.onClaim(row, at), at);
  if (!(await stored.commit(row, claim)) || job.hasEnded(claim)) return;
  await attempt(new Lease(job, claim, message, stored), handler, message);
};

const attempt = async <T extends JobState>(
  lease: Lease<T>,
  handler: JobHandler<T>,
  { body, report }: QueueMessage,
): Promise<void> => {
  try {
    await lease.renewDuring(() => handler.run(lease));
  } catch (error) {
    if (lease.signal.aborted) return;
    report('an attempt has failed', { ...body, error });
    // The stored failure repeats the job, so the message has done its work. It would end in the dead-letter queue.
    await lease.fail().catch((failure) => {
      if (!lease.signal.aborted) throw failure;
    });
  }
};
