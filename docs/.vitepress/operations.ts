import { readFileSync } from 'node:fs';
import { DOCS } from './pages.ts';
import { wordOf } from './theme/search.ts';

interface Operation extends Readonly<Record<'operationId' | 'summary' | 'description', string>> {
  readonly tags: readonly [string];
}

const { paths } = JSON.parse(readFileSync(new URL('openapi.json', DOCS), 'utf8'));

const OPERATIONS = Object.entries<Record<string, Operation>>(paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, operations]) =>
    Object.entries(operations).map(([name, { operationId, summary, description, tags }]) => {
      const request = `${name.toUpperCase()} ${path}`;
      const anchor = `tag/${tags[0].toLowerCase().replaceAll(' ', '-')}/${request.replace(' ', '')}`;
      const [sentence] = description.split(/(?<=\.)\s/, 1);
      return { summary, path, request, operationId, sentence, anchor };
    }),
  );

/** The sections of the reference for the search: its operations. For `undefined`, VitePress splits the page itself. */
export const splitIntoSections = (file: string) =>
  file.endsWith('/site/reference.md')
    ? OPERATIONS.map(({ summary, path, request, operationId, sentence, anchor }) => ({
        anchor,
        titles: [request, summary],
        text: `${operationId} ${wordOf(request)} ${wordOf(path)} ${sentence}`,
      }))
    : (undefined as never);
