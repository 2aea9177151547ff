import type { Worker } from '#shared/platform/declarations/worker.ts';
import deliver from './workers/deliver.ts';
import writeExport from './workers/export.ts';
import publishChanges from './workers/publish-changes.ts';
import publishWaitingChanges from './workers/publish-waiting-changes.ts';
import reconcile from './workers/reconcile.ts';
import seal from './workers/seal.ts';
import wakeWebhookEndpoints from './workers/wake-webhook-endpoints.ts';

/** Every worker by the name of its file. */
export const workers: Readonly<Record<string, Worker>> = {
  'workers/deliver': deliver,
  'workers/export': writeExport,
  'workers/publish-changes': publishChanges,
  'workers/publish-waiting-changes': publishWaitingChanges,
  'workers/reconcile': reconcile,
  'workers/seal': seal,
  'workers/wake-webhook-endpoints': wakeWebhookEndpoints,
};
