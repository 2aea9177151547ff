import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(Refund);
