import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { Job } from '#shared/platform/jobs/job.ts';
import type { FailureReason } from '#shared/platform/jobs/state.ts';
import type { DeliveryMessage } from '#shared/vocabulary.ts';
import { GRACE_MS, type WebhookDelivery } from './rules.ts';

export const JOB_USES = { webhookDeliveries: ['find', 'replace'] } as const;

const DETAILS: Readonly<Record<FailureReason, string>> = {
  'attempts-exhausted': 'Each attempt ended without a result.',
  'never-started': 'No worker started the delivery.',
  'never-resumed': 'No worker continued the delivery.',
};

/** CONTRACT §15. */
export const deliveryJob: Job<WebhookDelivery, DeliveryMessage, StoresOf<typeof JOB_USES>> = {
  table: 'webhookDeliveries',
  queue: 'deliveries',
  rows: ({ webhookDeliveries }) => webhookDeliveries,
  toMessage: ({ account_id, id }) => ({ account_id, webhook_delivery_id: id }),
  toId: ({ webhook_delivery_id }) => webhook_delivery_id,
  leaseMs: 60_000,
  graceMs: GRACE_MS,
  // Reminders follow at 1, 4, 16 … minutes, so the tenth would come long after the row has expired.
  maxAttempts: 10,
  hasEnded: ({ status }) => status !== 'pending',
  startDelayMs: ({ next_attempt_at }, at) =>
    next_attempt_at === null ? 0 : Math.max(0, Date.parse(next_attempt_at) - Date.parse(at)),
  onFail: (_, code) => ({ status: 'failed', next_attempt_at: null, error: { code, detail: DETAILS[code] } }),
  endWrites: () => [],
  endMetric: ({ status }) => METRICS[status],
  remindedMetric: 'DeliveriesReminded',
};

const METRICS = {
  pending: undefined,
  succeeded: 'DeliveriesSucceeded',
  failed: 'DeliveriesFailed',
  canceled: undefined,
} as const;
