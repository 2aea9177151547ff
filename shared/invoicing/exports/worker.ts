import { claimed, isFree, stumbled } from '#shared/invoicing/exports/job.ts';
import { startDelay } from '#shared/invoicing/exports/range.ts';
import { EXPORTED } from '#shared/invoicing/exports/resource.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import type { Delivery, Reach } from '#shared/platform/worker.ts';
import { Attempt, type USES } from './attempt.ts';
import { commitJob } from './commit-job.ts';
import { Lease } from './lease.ts';

/** Commits a claim of the job; nothing when another worker was first, or when the job has had its last attempt. */
const claim = async (job: Export, delivery: Delivery, places: Reach<typeof USES>) => {
  const held = claimed(job, Object.keys(EXPORTED[job.type].fields.v1), delivery.now());
  const isClaimed = await commitJob(delivery, places, job, held);
  return isClaimed && held.status === 'running' ? held : undefined;
};

/**
 * Does the job that a message names, if it is to be done and no other worker is at it: a message that is late, forged or
 * a duplicate changes nothing (CONTRACT §9). A message that comes before the job may start is sent again for then.
 * @param partBytes the least size of a part, where it is not the usual one
 */
export const exportFile = async (delivery: Delivery, places: Reach<typeof USES>, partBytes?: number): Promise<void> => {
  const { message, now, report } = delivery;
  const job = (await places.exports.find([message.export_id])).get(message.export_id);
  if (!job) return report('a message of no export', message);
  const delay = startDelay(job, now());
  if (delay > 0) return delivery.send(message, delay);
  if (!isFree(job, now())) return;
  const held = await claim(job, delivery, places);
  if (!held) return;
  const lease = new Lease(held, delivery, places);
  try {
    await lease.during(() => new Attempt(lease, delivery, places, partBytes).run());
  } catch (error) {
    if (lease.signal.aborted) return;
    const failed = lease.advance((running, at) => stumbled(running, delivery.again_ms, at));
    await failed.catch((fault) => report('the attempt cannot be given up', { ...message, error: fault }));
    throw error;
  }
};
