import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

const TITLES: Readonly<Record<string, string>> = { python: 'Python', go: 'Go', ts: 'TypeScript' };

/**
 * Makes consecutive blocks of code in different languages tabs, with the elements of VitePress's `::: code-group`. That
 * one gives the elements random ids, so the names of files, which contain a hash, would differ at each build.
 */
export const groupCode = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('group-code', (state) => {
    state.tokens = runsOf(state.tokens).flatMap((run, i) => {
      if (run.length === 1) return run;
      const html = (content: string): Token => Object.assign(new state.Token('html_block', '', 0), { content });
      (run[0] as Token).info += ' active';
      return [html(opening(run, i)), ...run, html('</div></div>\n')];
    });
  });
};

/** The tokens in runs: blocks of code that make a group, or one token. */
const runsOf = (tokens: readonly Token[]): Token[][] => {
  const runs: Token[][] = [];
  for (const token of tokens) {
    const run = runs.at(-1) ?? [];
    const continues = isCode(token) && run.every((other) => isCode(other) && other.info !== token.info);
    if (continues && run.length > 0) run.push(token);
    else runs.push([token]);
  }
  return runs;
};

const isCode = (token: Token): boolean => token.type === 'fence' && token.info in TITLES;

const opening = (run: readonly Token[], group: number): string => {
  const tabs = run.map(({ info }, i) => {
    const [id, title] = [`tab-${group}-${i}`, TITLES[info.split(' ', 1).join()]];
    const checked = i === 0 ? ' checked' : '';
    return `<input type="radio" name="group-${group}" id="${id}"${checked}><label data-title="${title}" for="${id}">${title}</label>`;
  });
  return `<div class="vp-code-group"><div class="tabs">${tabs.join('')}</div><div class="blocks">\n`;
};
