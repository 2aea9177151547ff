import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { exportedResource } from '#shared/invoicing/exported-resources.ts';
import { claimedFields, exportJob } from '#shared/invoicing/exports/job.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { runJob } from '#shared/platform/jobs/run-job.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import { Attempt, type USES } from './attempt.ts';

/**
 * Writes the file of the export that a message names (CONTRACT §9).
 * @param partBytes the minimum size of a part; tests use small parts
 */
export const exportFile = (
  message: QueueMessage<ExportMessage>,
  stores: StoresOf<typeof USES>,
  partBytes?: number,
): Promise<void> =>
  runJob(exportJob, message, stores, {
    onClaim: (job, at) => claimedFields(job, Object.keys(exportedResource(job.type).fields.v1), at),
    run: (lease) => new Attempt(lease, message, stores, partBytes).run(),
  });
