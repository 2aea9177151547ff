import type { Product } from '#shared/platform/product.ts';
import type { QueueMessage } from '#shared/platform/worker.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { Lease } from './lease.ts';
import { claimed, hasEnded, isClaimable, type JobState, type OwnFields } from './state.ts';

/** What a worker does with a job. It is apart from the job, so that the reconciler's bundle does not hold it. */
export interface JobHandler<T extends JobState> {
  onClaim(row: T, at: string): OwnFields<T>;
  /** Makes an attempt, which ends or releases the job; one that throws has failed. */
  run(lease: Lease<T>): Promise<void>;
}

/**
 * Runs the job that a message names, if it is claimable: a message that is late, forged or a duplicate changes nothing.
 * A message that comes before the job may start is sent again for then.
 */
export const runJob = async <T extends JobState, M extends Product['message'], S>(
  job: Job<T, M, S>,
  message: QueueMessage<M>,
  stores: S,
  handler: JobHandler<T>,
): Promise<void> => {
  const { body, now, report } = message;
  const row = await findJob(job, stores, job.toId(body));
  if (!row) return report('a message of no job', body);
  if (hasEnded(row)) return;
  const delayMs = job.startDelayMs(row, now());
  if (delayMs > 0) return message.send(body, delayMs);
  if (!isClaimable(job, row, now())) return;
  const commit = (before: T, after: T) => commitJob(job, message, stores, before, after);
  const at = now();
  const claim = claimed(job, row, handler.onClaim(row, at), at);
  if (!(await commit(row, claim)) || hasEnded(claim)) return;
  await attempt(new Lease(job, claim, message, commit), handler);
};

const attempt = async <T extends JobState>(lease: Lease<T>, handler: JobHandler<T>): Promise<void> => {
  try {
    await lease.renewDuring(() => handler.run(lease));
  } catch (error) {
    if (lease.signal.aborted) return;
    await lease.fail();
    throw error;
  }
};
