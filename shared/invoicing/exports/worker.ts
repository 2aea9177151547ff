import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { exportedResource } from '#shared/invoicing/exported-resources.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import { Attempt, type EXPORT_USES } from './attempt.ts';
import { claim, commitJob, findJob, isLeased, type JobStores } from './job.ts';
import { Lease } from './lease.ts';
import { startDelay } from './range.ts';
import { isUnfinished } from './rules.ts';

/**
 * Writes the file of the export that a message names (CONTRACT §9).
 * @param partBytes the minimum size of a part; tests use small parts
 */
export const exportFile = (
  message: QueueMessage<ExportMessage>,
  stores: StoresOf<typeof EXPORT_USES>,
  partBytes?: number,
): Promise<void> => runJob(message, stores, (lease) => new Attempt(lease, message, stores, partBytes).run());

/**
 * Claims the job of a message and runs one attempt, which completes or releases the job. A late, forged or duplicate
 * message changes nothing. A message that arrives before the job's start is sent again.
 * @throws when neither an attempt nor its failure could be stored
 */
export const runJob = async (
  message: QueueMessage<ExportMessage>,
  stores: JobStores,
  run: (lease: Lease) => Promise<void>,
): Promise<void> => {
  const { body, now, report } = message;
  const job = await findJob(stores, body.export_id);
  if (!job) return report('the job of a message does not exist', body);
  const at = now();
  if (!isUnfinished(job) || isLeased(job, at)) return;
  const delayMs = startDelay(job, at);
  if (delayMs > 0) return message.sendAgain(delayMs);
  const claimed = claim(job, Object.keys(exportedResource(job.type).fields.v1), at);
  if (!(await commitJob(message, stores, job, claimed)) || !isUnfinished(claimed)) return;
  const lease = new Lease(claimed, message, stores);
  try {
    await lease.renewDuring(() => run(lease));
  } catch (error) {
    if (lease.signal.aborted) return;
    report('an attempt has failed', { ...body, error });
    // The stored failure leads to another message. A rejected message would end in the dead-letter queue.
    await lease.fail().catch((failure) => {
      if (!lease.signal.aborted) throw failure;
    });
  }
};
