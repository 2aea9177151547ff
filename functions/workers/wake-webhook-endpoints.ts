import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { SCAN_USES, wakeAll } from '#shared/invoicing/webhook-deliveries/wake.ts';

/** Wakes the webhook endpoints that no message has reached (CONTRACT §15). */
export default scheduledWorker({
  trigger: { minutes: 5 },
  uses: SCAN_USES,
  selectsBy: { webhookDeliveries: resources.webhookDeliveries.queue },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  handle: wakeAll,
});
