import { Export } from '#shared/invoicing/exports/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(Export);
