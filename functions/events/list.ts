import { endpoint } from '#shared/invoicing/declarations.ts';
import { Event } from '#shared/invoicing/events/resource.ts';
import { readFeed } from '#shared/platform/events/feed.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §14. */
export default endpoint({
  route: 'GET /events',
  summary: 'List events',
  description:
    'Lists the changes of all resources of the account, each once, in order and without gaps. Keep the `next_cursor` of ' +
    'the last page and send it later: it returns the events since then.',
  scope: 'events:read',
  uses: { outbox: ['publish'], events: ['list', 'append'] },
  list: { filters: Event.filters, indexes: Event.indexes },
  returns: { 200: Event },
  handle: async ({ page }, { outbox, events }) => pageReply(await readFeed(page, outbox, events)),
});
