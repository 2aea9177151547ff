import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(
  WebhookDelivery,
  'Lists the deliveries of the last 30 days. `webhook_endpoint_id` and `status` select some of them, alone or together.',
);
