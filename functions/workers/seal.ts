import { INDEXED_USES } from '#shared/invoicing/index.ts';
import { sealRequested } from '#shared/platform/pages/seal-requested.ts';
import { scheduledWorker } from '#shared/platform/worker.ts';

/** Appends new rows to the page indexes of the collections that are read by page number (CONTRACT §5). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...INDEXED_USES, across: ['due'] },
  seconds: 60,
  memory_mb: 512,
  handle: (context, accounts) => sealRequested(context, accounts, { sealed: 'RowsSealed', wrong: 'PageCountsWrong' }),
});
