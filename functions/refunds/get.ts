import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(Refund);
