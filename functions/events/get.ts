import { Event } from '#shared/invoicing/events/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §14. */
export default endpoint({
  route: 'GET /events/{event_id}',
  summary: 'Get an event',
  description: 'Returns one event.',
  scope: 'events:read',
  uses: { events: ['get'] },
  returns: { 200: Event },
  handle: async ({ path, projection }, { events }) => ok(await events.get(path.event_id, projection)),
});
