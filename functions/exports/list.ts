import { Export } from '#shared/invoicing/exports/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /exports',
  summary: 'List exports',
  description: 'Lists the exports of the account. `status` and `type` select some of them.',
  scope: 'exports:read',
  uses: { exports: ['list'] },
  list: { filters: Export.filters },
  returns: { 200: Export },
  handle: async ({ page }, { exports }) => pageReply(await exports.list(page)),
});
