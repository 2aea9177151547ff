import { posix } from 'node:path';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';
import { NAMES } from './pages.ts';

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
export const leaveSite = (link: Token): void => link.attrSet('target', '_self');

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
