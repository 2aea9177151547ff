import { Event } from '#shared/invoicing/events/resource.ts';
import { getEndpoint } from '#shared/platform/http/resource-endpoints.ts';

export default getEndpoint(Event, 'Returns one event.');
