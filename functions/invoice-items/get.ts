import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(InvoiceItem);
