import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(
  WebhookDelivery,
  'Returns one delivery with its status, its attempts and the last response.',
);
