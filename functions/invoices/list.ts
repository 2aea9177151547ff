import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(Invoice);
