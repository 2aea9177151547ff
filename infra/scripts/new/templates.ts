import type { Words } from './words.ts';

/** The files of a new resource, by their paths. */
export const filesOf = (words: Words): Readonly<Record<string, string>> => {
  const { collection } = words;
  return {
    [`shared/invoicing/${collection}/rules.ts`]: rules(words),
    [`shared/invoicing/${collection}/resource.ts`]: fields(words),
    [`functions/${collection}/create.ts`]: createEndpoint(words),
    [`functions/${collection}/get.ts`]: readEndpoint(words, 'get'),
    [`functions/${collection}/list.ts`]: readEndpoint(words, 'list'),
    [`test/unit/invoicing/${collection}/rules.test.ts`]: unitTest(words),
  };
};

const rules = ({ name, one }: Words): string => `\
import { type Creation, createEntity, type Entity } from '#shared/platform/entity.ts';

/** The writable fields of ${one}. */
export interface ${name}Terms {
  description: string;
}

export interface ${name} extends ${name}Terms, Entity {}

export const create${name} = (terms: ${name}Terms, creation: Creation): ${name} =>
  createEntity({ ...terms }, creation);
`;

const fields = ({ name, store, collection }: Words): string => `\
import type { ${name}Terms } from '#shared/invoicing/${collection}/rules.ts';
import { resources } from '#shared/invoicing/index.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { required } from '#shared/platform/wire/field.ts';
import { text } from '#shared/platform/wire/schema.ts';

export const ${name} = resource<${name}Terms>(resources.${store}, {
  description: required(text(), 'The description.', { accepts: text({ min: 1 }) }),
});
`;

const createEndpoint = ({ name, store, collection, one }: Words): string => `\
import { ${name} } from '#shared/invoicing/${collection}/resource.ts';
import { create${name} } from '#shared/invoicing/${collection}/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /${collection}',
  summary: 'Create ${one}',
  description: 'Creates ${one}.',
  scope: '${collection}:write',
  idempotency: 'optional',
  uses: { ${store}: ['insert'] },
  body: ${name}.create,
  returns: { 201: ${name} },

  handle({ body, now, newId }, { ${store} }) {
    const member = create${name}(body, { id: newId(), at: now });
    return created(member, ${store}.insert(member));
  },
});
`;

const readEndpoint = ({ name, collection }: Words, verb: 'get' | 'list'): string => `\
import { ${name} } from '#shared/invoicing/${collection}/resource.ts';
import { ${verb}Endpoint } from '#shared/platform/http/resource-endpoints.ts';

export default ${verb}Endpoint(${name});
`;

const unitTest = ({ name, collection, one }: Words): string => `\
import { expect, test } from '@jest/globals';
import { create${name} } from '#shared/invoicing/${collection}/rules.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('the creation of ${one}: its terms, version 1 and both times', () => {
  expect(create${name}({ description: 'x' }, { id: 7, at: AT })).toEqual({
    id: 7,
    version: 1,
    description: 'x',
    created_at: AT,
    updated_at: AT,
  });
});
`;

/** A text that is inserted before another text, which the file contains once. */
export interface Insertion {
  readonly path: string;
  readonly before: string;
  readonly text: string;
}

/** The lines of a new resource in handwritten lists. Biome sorts the imports. */
export const insertionsOf = (words: Words): readonly Insertion[] => {
  const { name, store, collection, type, isIrregular } = words;
  const list = 'shared/invoicing/index.ts';
  const subjects = 'shared/invoicing/event-subjects.ts';
  const table = 'functions/index.ts';
  const vocabulary = 'shared/vocabulary.ts';
  return [
    { path: vocabulary, before: "'events'", text: `'${store}' | ` },
    { path: vocabulary, before: "'events:read'", text: `'${collection}:read' | '${collection}:write' | ` },
    {
      path: list,
      before: 'import type { EventRow }',
      text: `import type { ${name} } from '#shared/invoicing/${collection}/rules.ts';\n`,
    },
    { path: list, before: '  readonly events: EventRow;', text: `  readonly ${store}: ${name};\n` },
    {
      path: list,
      before: "  events: {\n    indexes: [['type'",
      text: `  ${store}: {
${isIrregular ? `    type: '${type}',\n` : ''}    writer: 'clerk',
    indexes: [],
    isIndexed: true,
    events: {},
  },
`,
    },
    {
      path: 'shared/invoicing/row-checks.ts',
      before: 'export { StoredEvent as events }',
      text: `export { ${name} as ${store} } from './${collection}/resource.ts';\n`,
    },
    {
      path: subjects,
      before: 'import { Export }',
      text: `import { ${name} } from '#shared/invoicing/${collection}/resource.ts';\n`,
    },
    { path: subjects, before: '  exports: Export,', text: `  ${store}: ${name},\n` },
    ...(['create', 'get', 'list'] as const).map((verb) => ({
      path: table,
      before: '\nconst routed = {',
      text: `import ${verb}${verb === 'list' ? plural(name, words) : name} from './${collection}/${verb}.ts';\n`,
    })),
    {
      path: table,
      before: "  'service/health'",
      text: `  '${collection}/list': list${plural(name, words)},
  '${collection}/create': create${name},
  '${collection}/get': get${name},
`,
    },
    {
      path: 'docs/guides/02-authentication.md',
      before: ' |\n| `accountant` |',
      text: `, \`${collection}:write\``,
    },
    {
      path: 'test/support/requests/examples.ts',
      before: '  exports: { body:',
      text: `  ${/-/.test(collection) ? `'${collection}'` : collection}: { body: () => ({ description: 'x' }), other: { description: 'y' } },\n`,
    },
  ];
};

const plural = (name: string, { store }: Words): string => name.charAt(0) + store.slice(1);
