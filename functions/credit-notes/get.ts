import { CreditNote } from '#shared/invoicing/credit-notes/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(CreditNote);
