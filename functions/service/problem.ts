import { CATALOGUE, type ProblemCode } from '#shared/invoicing/problems/catalogue.ts';
import { EXPLANATIONS } from '#shared/invoicing/problems/explanations.ts';
import { publicEndpoint } from '#shared/platform/endpoint.ts';
import { PROBLEM_PAGE_POLICY, problemPage } from '#shared/platform/http/problem-page.ts';
import { contentReply } from '#shared/platform/http/reply.ts';
import { ProblemError } from '#shared/platform/problem.ts';

const isCode = (text: string): text is ProblemCode => Object.hasOwn(CATALOGUE, text);

/** CONTRACT §10. */
export default publicEndpoint({
  route: 'GET /problems/{code}',
  summary: 'Get the explanation of a problem code',
  description: "Returns the page that a problem's `type` links to: what the code means, its cause and what to do.",
  produces: { 'text/html': { type: 'string' } },
  refuses: ['not-found'],

  handle({ path }) {
    const code = path['code'] ?? '';
    if (!isCode(code)) throw new ProblemError('not-found');
    return contentReply(problemPage(code, CATALOGUE[code], EXPLANATIONS[code]), {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'content-security-policy': PROBLEM_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
    });
  },
});
