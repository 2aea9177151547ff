import { Customer } from '#shared/invoicing/customers/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(Customer);
