import { reconcile, USES } from '#shared/invoicing/exports/reconcile.ts';
import { chore } from '#shared/platform/worker.ts';

/** Finds the exports that nobody does, and the uploads that nobody goes on with (CONTRACT §9). */
export default chore({
  trigger: { minutes: 1 },
  uses: USES,
  sends: 'exports',
  seconds: 60,
  memory_mb: 512,
  async handle(work, placesOf) {
    const did = await reconcile(work, placesOf);
    // A minute in which there was nothing to do is no news.
    if (Object.values(did).some((count) => count > 0)) work.report('reconciled', did);
  },
});
