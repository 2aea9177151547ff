import { consumer } from '#shared/invoicing/declarations.ts';
import { EXPORT_USES } from '#shared/invoicing/exports/attempt.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { parseExportMessage } from '#shared/invoicing/queues.ts';

/** Writes the file of an export (CONTRACT §9). */
export default consumer({
  trigger: { queue: 'exports', batch: 5, concurrency: 10 },
  uses: EXPORT_USES,
  selectsBy: { exports: { filters: ['status', 'type'] } },
  sendsTo: ['exports'],
  seconds: 300,
  memory_mb: 1769,
  // Without limits, V8 lets the heap grow with short-lived rows (docs/benchmarks.md).
  node_options: '--max-semi-space-size=16 --max-old-space-size=128',
  parse: parseExportMessage,
  handle: exportFile,
});
