import { Refusal, type RefusalCode } from '#shared/domain/refusal.ts';
import { CATALOGUE } from '#shared/http/catalogue.ts';
import { publicEndpoint } from '#shared/http/endpoint.ts';
import { PROBLEM_PAGE_POLICY, problemPage } from '#shared/http/problem-page.ts';
import { content } from '#shared/http/reply.ts';

const isCode = (text: string): text is RefusalCode => Object.hasOwn(CATALOGUE, text);

/** CONTRACT §10. */
export default publicEndpoint({
  route: 'GET /problems/{code}',
  summary: "Explains a problem's `type`",
  description: "Explains a problem's `type`: what it means, what causes it, and what to do.",
  produces: ['text/html'],
  refuses: ['not-found'],

  handle({ path }) {
    const code = path['code'] ?? '';
    if (!isCode(code)) throw new Refusal('not-found');
    return content(problemPage(code), {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'content-security-policy': PROBLEM_PAGE_POLICY,
      'x-content-type-options': 'nosniff',
    });
  },
});
