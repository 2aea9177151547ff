import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(WebhookEndpoint, 'Returns one webhook endpoint, without its secret.');
