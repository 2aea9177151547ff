import { endpoint } from '#shared/http/endpoint.ts';
import { listed } from '#shared/http/reply.ts';
import { Export } from '#shared/wire/export.ts';

/** §4 Pagination. */
export default endpoint({
  route: 'GET /exports',
  summary: 'List exports',
  description: "Lists the account's exports, all or those with a status or of a type.",
  scope: 'exports:read',
  uses: { exports: ['list'] },
  lists: { filters: Export.filters },
  returns: { 200: Export },
  handle: async ({ page }, { exports }) => listed(await exports.list(page)),
});
