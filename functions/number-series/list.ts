import { NumberSeries } from '#shared/invoicing/number-series/resource.ts';
import { listEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default listEndpoint(NumberSeries);
