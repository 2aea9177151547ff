import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resources } from '#shared/invoicing/index.ts';
import { resourceName } from '#shared/openapi/names.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import { imports } from './new/source-text.ts';

/*
 * A part of `npm run generate`: writes the files that import the fields of the resources in the list. They are files, because a
 * bundle contains only the fields that its function imports by name.
 */

const ENTRIES = Object.values<ResourceEntry>(resources);
const GENERATED = '// Written by npm run generate, from the list of resources in index.ts.';

const moduleOf = ({ collection }: ResourceEntry): string => `${collection}/resource.ts`;

/** Rows of events are checked without the resources that an event can embed, which would load the fields of all. */
const rowCheckOf = (entry: ResourceEntry): string =>
  entry.type === 'event'
    ? `export { StoredEvent as events } from './events/stored-event.ts';`
    : `export { ${resourceName(entry)} as ${entry.table} } from './${moduleOf(entry)}';`;

const rowChecks = (): string => `${GENERATED}
/*
 * The resource of each table, by the name of its store: its fields check the rows that are written. A bundle contains
 * those of the tables that its function writes (infra/build/bundle.ts).
 */
${lines(sorted(ENTRIES).map(rowCheckOf))}
`;

interface Registry {
  readonly comment: string;
  readonly name: string;
  /** The type of its keys, and the key of a resource. */
  readonly keys: 'EventfulName' | 'ExportType';
  readonly key: (entry: ResourceEntry) => string;
  readonly has: (entry: ResourceEntry) => boolean;
  readonly more?: string;
}

const registry = ({ comment, name, keys, key, has, more = '' }: Registry): string => {
  const entries = ENTRIES.filter(has);
  return `${GENERATED}
${imports({
  ...Object.fromEntries(
    sorted(entries).map((entry) => [`#shared/invoicing/${moduleOf(entry)}`, `{ ${resourceName(entry)} }`]),
  ),
  '#shared/platform/declarations/resource.ts': 'type { Resource }',
  './index.ts': `type { ${keys} }`,
})}
/** ${comment} */
export const ${name}: Readonly<Record<${keys}, Resource>> = {
${lines(entries.map((entry) => `  ${propertyName(key(entry))}: ${resourceName(entry)},`))}
};
${more}`;
};

const SUBJECTS: Registry = {
  comment: 'The resources whose changes become events: `expand=resource` embeds them.',
  name: 'SUBJECTS',
  keys: 'EventfulName',
  key: ({ table }) => table,
  has: ({ events }) => events !== undefined,
};

const EXPORTED: Registry = {
  comment: 'The resource of each type. The lines of a file are its v1 form under every version (CONTRACT §9).',
  name: 'EXPORTED_RESOURCES',
  keys: 'ExportType',
  key: ({ collection }) => collection,
  has: ({ isExported }) => isExported === true,
  more: `
/** The resource of a type that was checked when the export was stored. */
export const exportedResource = (type: string): Resource => EXPORTED_RESOURCES[type as ExportType];
`,
};

/** In the order in which Biome sorts imports. */
const sorted = (entries: readonly ResourceEntry[]): ResourceEntry[] =>
  entries.toSorted((a, b) => (moduleOf(a) < moduleOf(b) ? -1 : 1));

const lines = (texts: readonly string[]): string => texts.join('\n');

const propertyName = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

/** The text of each file, by its path. */
export const registries: Readonly<Record<string, string>> = {
  'shared/invoicing/row-checks.ts': rowChecks(),
  'shared/invoicing/event-subjects.ts': registry(SUBJECTS),
  'shared/invoicing/exported-resources.ts': registry(EXPORTED),
};

const ROOT = new URL('../../', import.meta.url);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(registries)) writeFileSync(new URL(path, ROOT), text);
}
