import { claimed, isFree } from '#shared/domain/export-job.ts';
import { Attempt, Lost, PART_BYTES, type USES } from './attempt.ts';
import type { Delivery, Reach } from './worker.ts';

/**
 * Does the job that a message names, if it is to be done and nobody is at it: a message that is late, forged or a
 * duplicate changes nothing (CONTRACT §9).
 */
export const exportFile = async (
  delivery: Delivery,
  places: Reach<typeof USES>,
  partBytes: number = PART_BYTES,
): Promise<void> => {
  const { message, now, commit, report } = delivery;
  const job = (await places.exports.find([message.export_id])).get(message.export_id);
  if (!job) return report('a message of no export', message);
  const at = now();
  if (!isFree(job, at)) return;
  const held = claimed(job, at);
  if (!(await commit(places.exports.replace(job, held))) || held.status !== 'running') return;
  const attempt = new Attempt(held, delivery, places, partBytes);
  try {
    await attempt.run();
  } catch (error) {
    if (error instanceof Lost) return;
    await attempt.stumble().catch((fault) => report('the attempt cannot be given up', { ...message, error: fault }));
    throw error;
  }
};
