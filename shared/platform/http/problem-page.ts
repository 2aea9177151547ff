import { hash } from 'node:crypto';
import type { Explanation } from '#shared/platform/problem.ts';
import { CATALOGUE, type ProblemType } from '#shared/vocabulary.ts';

/** With the colors and the bar of the documentation (docs/.vitepress/theme/style.css). */
const STYLE =
  ':root{color-scheme:light dark;color:light-dark(#3c3c43,#dfdfd6);background:light-dark(#fff,#1b1b1f)}:focus-visible{outline:2px solid light-dark(#0b5a63,#7cc8d1)}a{color:light-dark(#0b5a63,#7cc8d1)}body{font:1rem/1.6 system-ui,sans-serif;margin:0}' +
  'nav{display:flex;gap:0 1.2rem;padding:1.2rem 2rem;border-bottom:1px solid light-dark(#e2e2e3,#000);font-size:.875rem;font-weight:500}nav a{color:inherit;text-decoration:none}b{font-size:1rem;margin-right:auto}img{vertical-align:-6px;margin-right:.5rem}' +
  'main{max-width:42rem;margin:2rem auto;padding:0 2rem}h1{font-size:1.5rem}dt{font-weight:600;margin-top:1rem}dd{margin:0}@media(max-width:40rem){nav,main{padding-left:1rem;padding-right:1rem;gap:1rem}b span{display:none}}code{font-family:ui-monospace,monospace}';

/** Follows the switch of the documentation. */
const SCRIPT =
  "const a=localStorage.getItem('vitepress-theme-appearance');if(a==='light'||a==='dark')document.documentElement.style.colorScheme=a";

/** Allows only the page's own style and script, and the mark. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PROBLEM_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] as string);

/** Names between backticks are code. */
const toHtml = (text: string): string => escapeHtml(text).replaceAll(/`(.*?)`/g, '<code>$1</code>');

export const problemPage = (code: string, { status, title }: ProblemType, explanation: Explanation): string => {
  const { meaning, cause, remedy } = explanation;
  const rows = Object.entries({ Meaning: meaning, Cause: cause, Remedy: remedy });
  return page(
    code,
    `<h1>${escapeHtml(title)}</h1>
<p><code>${status}</code> <code>${escapeHtml(code)}</code></p>
<dl>${rows.map(([name, text]) => `<dt>${name}</dt><dd>${toHtml(text)}</dd>`).join('')}</dl>`,
  );
};

/** The list of all problems, by status. */
export const problemListPage = (): string => {
  const byStatus = Object.groupBy(Object.entries(CATALOGUE), ([, { status }]) => status);
  const sections = Object.entries(byStatus).map(
    ([status, types = []]) => `<h2>${status}</h2>\n<dl>${types.map(listEntry).join('')}</dl>`,
  );
  return page(
    'Problems',
    `<h1>Problems</h1>
<p>The code of an error response says what is wrong. An operation can return some codes with another status than the one here.</p>
${sections.join('\n')}`,
  );
};

const listEntry = ([code, { title }]: [string, ProblemType]): string =>
  `<dt><a href="/problems/${code}"><code>${escapeHtml(code)}</code></a></dt><dd>${escapeHtml(title)}</dd>`;

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} | Duebook</title>
<link rel="icon" href="/docs/mark.svg">
<style>${STYLE}</style>
<script>${SCRIPT}</script>
<nav><b><a href="/docs" aria-label="Duebook"><img src="/docs/mark.svg" alt="" width="24"><span>Duebook</span></a></b>
<a href="/docs/getting-started">Guides</a> <a href="/docs/reference">Reference</a> <a href="/docs/explorer">Explorer</a></nav>
<main>
${content}
<p><a href="/problems">All problems</a> · <a href="/docs/errors#what-to-retry">What to retry</a></p>
</main>
</html>
`;
