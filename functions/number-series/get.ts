import { NumberSeries } from '#shared/invoicing/number-series/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(NumberSeries);
