import { readFileSync } from 'node:fs';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { DOCS } from './pages.ts';

interface Operation extends Readonly<Record<'operationId' | 'summary' | 'description', string>> {
  readonly tags: readonly [string];
}

const { paths } = JSON.parse(readFileSync(new URL('openapi.json', DOCS), 'utf8'));

const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-');

/** The operations of all versions, each with its anchor in the reference. */
export const OPERATIONS = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([name, { operationId, summary, description, tags }]) => {
    const method = name.toUpperCase();
    const request = `${method} ${path}`;
    const anchor = `tag/${slugOf(tags[0])}/${method}${path}`;
    const [sentence] = description.split(/(?<=\.)\s/, 1);
    return { summary, method, path, request, operationId, sentence, anchor, tag: tags[0].replace(' v1', '') };
  }),
);

/** The index shows one version: the operations of v1 have the same names in v2. */
const LISTED = OPERATIONS.filter(({ path }) => !path.startsWith('/v2/'));

/** The operations of the index, by tag. */
export const GROUPS = [...Map.groupBy(LISTED, ({ tag }) => tag)].map(([tag, operations]) => ({
  tag,
  anchor: `v1/${slugOf(tag)}`,
  operations: operations.map(({ method, path, summary, anchor }) => ({ method, path, summary, anchor })),
}));

/** The codes of problems, by status. */
export const PROBLEMS = Object.entries(CATALOGUE)
  .map(([code, { status, title }]) => ({ code, status, title }))
  .sort((a, b) => a.status - b.status);
