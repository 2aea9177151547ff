import type { Worker } from '#shared/platform/worker.ts';
import writeExport from './workers/export.ts';
import publish from './workers/publish.ts';
import reconcile from './workers/reconcile.ts';
import seal from './workers/seal.ts';

/** Every worker by the name of its file. */
export const workers: Readonly<Record<string, Worker>> = {
  'workers/export': writeExport,
  'workers/publish': publish,
  'workers/reconcile': reconcile,
  'workers/seal': seal,
};
