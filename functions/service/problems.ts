import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { PROBLEM_PAGE_HEADERS, problemListPage } from '#shared/platform/http/problem-page.ts';
import { contentReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §10. */
export default publicEndpoint({
  route: 'GET /problems',
  summary: 'List the problem codes',
  description: 'Returns a page with all problem codes, each with its status, its title and a link to its explanation.',
  produces: { 'text/html': { type: 'string' } },
  handle: () => contentReply(problemListPage(), PROBLEM_PAGE_HEADERS),
});
