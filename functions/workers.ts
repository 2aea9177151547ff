import type { Worker } from '#shared/platform/worker.ts';
import deliver from './workers/deliver.ts';
import dispatch from './workers/dispatch.ts';
import writeExport from './workers/export.ts';
import publish from './workers/publish.ts';
import reconcile from './workers/reconcile.ts';
import seal from './workers/seal.ts';

/** Every worker by the name of its file. */
export const workers: Readonly<Record<string, Worker>> = {
  'workers/deliver': deliver,
  'workers/dispatch': dispatch,
  'workers/export': writeExport,
  'workers/publish': publish,
  'workers/reconcile': reconcile,
  'workers/seal': seal,
};
