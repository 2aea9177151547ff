import { posix } from 'node:path';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';
import { NAMES } from './pages.ts';
import { OPERATIONS, PROBLEMS } from './reference-index.ts';

type Token = ReturnType<MarkdownRenderer['parseInline']>[number];

/** Makes a heading's anchor the same as on GitHub. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/**
 * The links of the documents work in the repository. On the site, a link to a page leads to its address, a link to a
 * path of the service leaves the site, and a link to another file of the repository becomes text.
 */
export const resolveLinks = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('resolve-links', ({ tokens, env }: { tokens: Token[]; env: MarkdownEnv }) => {
    // Parts of a page are rendered without its path.
    const path = env.realPath ?? env.path;
    if (!path) return;
    const folder = posix.dirname(path.split('/docs/').at(-1) as string);
    for (const token of tokens) if (token.children) token.children = resolveIn(token.children, folder);
  });
};

const resolveIn = (tokens: readonly Token[], folder: string): Token[] => {
  let isText = false;
  return tokens.filter((token) => {
    if (token.type === 'link_close') return !isText;
    if (token.type === 'link_open') isText = !resolveLink(token, folder);
    return token.type !== 'link_open' || !isText;
  });
};

/** The router of the site ignores a link with a target. */
const leaveSite = (link: Token): void => link.attrSet('target', '_self');

/** @returns whether the link leads anywhere */
const resolveLink = (link: Token, folder: string): boolean => {
  const target = String(link.attrGet('href'));
  if (target.startsWith('#') || target.startsWith('https:')) return true;
  if (target.startsWith('/')) {
    leaveSite(link);
    return true;
  }
  const [path = '', anchor] = target.split('#');
  const name = NAMES.get(posix.join(folder, path));
  if (!name) return false;
  link.attrSet('href', `/${name}${anchor ? `#${anchor}` : ''}`);
  return true;
};

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
