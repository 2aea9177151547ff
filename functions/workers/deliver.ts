import { consumer } from '#shared/invoicing/declarations.ts';
import { parseDeliveryMessage } from '#shared/invoicing/queues.ts';
import { attemptDelivery } from '#shared/invoicing/webhook-deliveries/attempt.ts';
import { PUMP_USES, pump } from '#shared/invoicing/webhook-deliveries/pump.ts';

/** Sends the events of webhooks (CONTRACT §15). Its role can change only webhook endpoints and deliveries. */
export default consumer({
  trigger: { queue: 'deliveries', batch: 10, concurrency: 50 },
  uses: PUMP_USES,
  selectsBy: { webhookDeliveries: ['status', 'webhook_endpoint_id'] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  parse: parseDeliveryMessage,
  handle: (message, stores) => {
    const { body } = message;
    return 'webhook_endpoint_id' in body
      ? pump({ ...message, body }, stores)
      : attemptDelivery({ ...message, body }, stores);
  },
});
