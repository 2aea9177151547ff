import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { leaveSite } from './links.ts';
import { DOCS } from './pages.ts';
import { wordOf } from './theme/search.ts';

type Token = ReturnType<MarkdownRenderer['parseInline']>[number];

interface Operation extends Readonly<Record<'operationId' | 'summary' | 'description', string>> {
  readonly tags: readonly [string];
}

const { paths } = JSON.parse(readFileSync(new URL('openapi.json', DOCS), 'utf8'));

const OPERATIONS = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([name, { operationId, summary, description, tags }]) => {
    const method = name.toUpperCase();
    const request = `${method} ${path}`;
    const anchor = `tag/${tags[0].toLowerCase().replaceAll(' ', '-')}/${method}${path}`;
    const [sentence] = description.split(/(?<=\.)\s/, 1);
    return { summary, method, path, request, operationId, sentence, anchor, tag: tags[0].replace(' v1', '') };
  }),
);

/** The operations of the index, by tag: those of v1, and those without a version. */
export const GROUPS = [
  ...Map.groupBy(
    OPERATIONS.filter(({ path }) => !path.startsWith('/v2/')),
    ({ tag }) => tag,
  ),
].map(([tag, operations]) => ({
  tag,
  operations: operations.map(({ method, path, summary, anchor }) => ({ method, path, summary, anchor })),
}));

/** The codes of problems, by status. */
export const PROBLEMS = Object.entries(CATALOGUE)
  .map(([code, { status, title }]) => ({ code, status, title }))
  .sort((a, b) => a.status - b.status);

/** The sections for the search of pages without headings in their Markdown. */
const SECTIONS: Readonly<Record<string, readonly object[]>> = {
  'reference.md': [
    ...OPERATIONS.map(({ summary, path, request, operationId, sentence, anchor }) => ({
      anchor,
      titles: [request, summary],
      text: `${operationId} ${wordOf(request)} ${wordOf(path)} ${sentence}`,
    })),
    ...PROBLEMS.map(({ code, title }) => ({ anchor: `problem-${code}`, titles: ['Problems', code], text: title })),
  ],
  'explorer.md': [
    {
      anchor: '/invoices',
      titles: ['Explorer'],
      text: 'Look at invoices, customers, webhooks and exports of an account in the browser.',
    },
  ],
};

/** The sections of a page for the search. For `undefined`, VitePress splits the page itself. */
export const splitIntoSections = (file: string) => SECTIONS[basename(file)] as never;

/** Makes a request the same for each name of a parameter, and with and without its version. */
const normalize = (request: string): string =>
  request.replaceAll(/<\w+>|\{\w+\}/g, '{}').replace(/^([A-Z]+) (?:\/v1)?\//, '$1 /v1/');

const ADDRESSES = new Map<string, string>([
  ...OPERATIONS.filter(({ path }) => path.startsWith('/v1/')).map(
    ({ request, anchor }) => [normalize(request), `/reference#${anchor}`] as const,
  ),
  ...PROBLEMS.map(({ code }) => [code, `/problems/${code}`] as const),
]);

/**
 * Links inline code, outside links and headings: a method and a path to its operation in the reference, and the code of
 * a problem to its page.
 */
export const linkCode = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('link-code', ({ tokens, Token }) => {
    const link = (token: Token): Token[] => {
      const address = token.type === 'code_inline' && ADDRESSES.get(normalize(token.content));
      if (!address) return [token];
      const open = new Token('link_open', 'a', 1);
      open.attrSet('href', address);
      if (address.startsWith('/problems/')) leaveSite(open);
      return [open, token, new Token('link_close', 'a', -1)];
    };
    tokens.forEach((token, i) => {
      if (!token.children || tokens[i - 1]?.type === 'heading_open') return;
      let depth = 0;
      token.children = token.children.flatMap((child) => {
        if (child.type.startsWith('link_')) depth += child.nesting;
        return depth > 0 ? [child] : link(child);
      });
    });
  });
};
