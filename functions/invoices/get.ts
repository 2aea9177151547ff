import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(
  Invoice,
  'Returns an invoice. `expand=customer` includes its customer, `expand=items` its items.',
);
