import { Customer } from '#shared/invoicing/customers/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(Customer, 'Lists the customers of the account. `email` selects those with this address.');
