import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(WebhookEndpoint, 'Lists the webhook endpoints of the account, without their secrets.');
