import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(InvoiceItem);
