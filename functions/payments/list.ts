import { Payment } from '#shared/invoicing/payments/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(Payment);
