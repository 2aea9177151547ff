import { basename } from 'node:path';
import { OPERATIONS, PROBLEMS } from './reference-index.ts';
import { wordOf } from './theme/search.ts';

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
