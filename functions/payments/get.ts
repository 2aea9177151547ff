import { Payment } from '#shared/invoicing/payments/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(Payment);
