import { CreditNote } from '#shared/invoicing/credit-notes/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(CreditNote);
