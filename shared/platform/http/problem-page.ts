import { hash } from 'node:crypto';
import type { Explanation, ProblemType } from '#shared/platform/problem.ts';

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}' +
  'h1{font-size:1.5rem}dt{font-weight:600;margin-top:1rem}dd{margin:0}code{font-family:ui-monospace,monospace}';

/** The Content-Security-Policy: allows only the page's own style. */
export const PROBLEM_PAGE_POLICY: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] as string);

export const problemPage = (code: string, { status, title }: ProblemType, explanation: Explanation): string => {
  const { meaning, cause, remedy } = explanation;
  const rows = Object.entries({ Meaning: meaning, Cause: cause, Remedy: remedy });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(code)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
<p><code>${status}</code> <code>${escapeHtml(code)}</code></p>
<dl>${rows.map(([name, text]) => `<dt>${name}</dt><dd>${escapeHtml(text)}</dd>`).join('')}</dl>
<p><a href="/docs">Documentation</a></p>
</html>
`;
};
