import { consumer } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { parseEndpointMessage } from '#shared/invoicing/queues.ts';
import { pump } from '#shared/invoicing/webhook-deliveries/pump.ts';
import { PUMP_USES } from '#shared/invoicing/webhook-deliveries/turn.ts';

/** Sends the events of webhooks (CONTRACT §15). Its role can change only webhook endpoints and deliveries. */
export default consumer({
  trigger: { queue: 'deliveries', batch: 10, concurrency: 50 },
  uses: PUMP_USES,
  selectsBy: { webhookDeliveries: resources.webhookDeliveries.queue },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  parse: parseEndpointMessage,
  handle: pump,
});
