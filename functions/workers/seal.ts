import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { type IndexedName, resources } from '#shared/invoicing/index.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import { sealInRounds } from '#shared/platform/jobs/seal.ts';

type IndexedUses = { readonly [Name in IndexedName]: readonly ['rows', 'pageIndex'] };

const INDEXED_USES = Object.fromEntries(
  Object.values<ResourceEntry>(resources)
    .filter(({ isIndexed }) => isIndexed)
    .map(({ table }) => [table, ['rows', 'pageIndex']]),
  // The cast restores the names, which `Object.fromEntries` loses.
) as unknown as IndexedUses;

export const METRICS = { sealed: 'RowsSealed', overdue: 'SealingOverdueSeconds' } as const;

/** Appends new rows to the page indexes of the collections that are read by page number (CONTRACT §5). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...INDEXED_USES, across: ['due'] },
  seconds: 60,
  memory_mb: 512,
  handle: (context, accounts) => sealInRounds(context, accounts, METRICS),
});
