import { consumer } from '#shared/invoicing/declarations.ts';
import { parseDeliveryMessage } from '#shared/invoicing/queues.ts';
import { USES as ATTEMPT_USES, deliver } from '#shared/invoicing/webhook-deliveries/attempt.ts';
import { USES as CONTINUE_USES, continueEndpoint } from '#shared/invoicing/webhook-deliveries/continue.ts';

/** Sends the events of webhooks (CONTRACT §15). Its role can change only webhook endpoints and deliveries. */
export default consumer({
  trigger: { queue: 'deliveries', batch: 10, concurrency: 50 },
  uses: {
    ...CONTINUE_USES,
    webhookEndpoints: [...CONTINUE_USES.webhookEndpoints, ...ATTEMPT_USES.webhookEndpoints],
    webhookDeliveries: [...CONTINUE_USES.webhookDeliveries, ...ATTEMPT_USES.webhookDeliveries],
    events: [...CONTINUE_USES.events, ...ATTEMPT_USES.events],
  },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  parse: parseDeliveryMessage,
  handle: (message, stores) => {
    const { body } = message;
    return 'webhook_endpoint_id' in body
      ? continueEndpoint({ ...message, body }, stores)
      : deliver({ ...message, body }, stores, message.settings.webhookAddresses);
  },
});
