import { EXPLANATIONS } from '#shared/invoicing/problem-explanations.ts';
import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { PROBLEM_PAGE_HEADERS, problemPage } from '#shared/platform/http/problem-page.ts';
import { contentReply } from '#shared/platform/http/reply.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { CATALOGUE, type ProblemCode } from '#shared/vocabulary.ts';

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
    return contentReply(problemPage(code, CATALOGUE[code], EXPLANATIONS[code]), PROBLEM_PAGE_HEADERS);
  },
});
