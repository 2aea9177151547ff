import { type Action, type Collection, collectionsOf, type OpenApi, type Parameter } from './collections.ts';
import { TypeWriter } from './schema.ts';

type Schemas = OpenApi['components']['schemas'];

const VERSIONS = ['v1', 'v2'];
/** The query parameters of every collection. */
const COMMON_PARAMETERS = ['fields', 'expand', 'sort', 'after', 'limit', 'page', 'per_page'];

/** Schemas of no collection. */
const OTHERS = ['Problem', 'WebhookEvent'];

const HEADING = `// Written by \`npm run generate\` from docs/openapi.json: not to be edited.
`;

/** Writes the types of the client: of all collections, by version, and of their schemas. */
export const typesOf = (document: OpenApi): string => {
  const [requests, responses] = [new TypeWriter(true), new TypeWriter(false)];
  const { schemas } = document.components;
  const versions = VERSIONS.map((version) => ({ version, collections: collectionsOf(document, version) }));
  const shapes = versions.flatMap(({ version, collections }) =>
    collections.map((each) => shapeOf(each, version, schemas, { requests, responses })),
  );
  const all = versions.flatMap(({ collections }) => collections);
  const own = withoutRelations(schemas, all);
  const declared = new Map<string, string>();
  // Requests go first: in a schema that responses have, too, optional members may then be `undefined`.
  for (const name of all.flatMap(bodiesOf)) declare(name, own, requests, declared);
  for (const name of [...all.flatMap(membersOf), ...OTHERS]) declare(name, own, responses, declared);
  const declarations = Object.keys(schemas).flatMap((name) => declared.get(name) ?? []);
  return [HEADING, ...declarations, ...shapes, tableOf(versions)].join('\n');
};

/**
 * Writes the table from which the client creates its collections.
 * @throws Error when the versions have different collections, because the client has one table for all versions
 */
export const operationsOf = (document: OpenApi): string => {
  const [table, ...others] = VERSIONS.map((version) => collectionsOf(document, version).map(operationsOfCollection));
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(table)))
    throw new Error('The versions have different collections or operations: extend client/build/types.ts.');
  const entries = (table ?? []).map(([name, operations]) => `'${name}': ${JSON.stringify(operations)},\n`);
  return `${HEADING}
/** The operations of each collection and its members, with the declared status of their successes. */
export const OPERATIONS = {\n${entries.join('')}} as const;\n`;
};

const operationsOfCollection = ({ name, statuses, actions, lists }: Collection): [name: string, operations: object] => [
  name,
  {
    statuses,
    actions: Object.fromEntries(actions.map(({ name, status, body }) => [name, { status, hasBody: Boolean(body) }])),
    lists,
  },
];

const bodiesOf = ({ create, update, replace, actions }: Collection): string[] =>
  [create, update, replace, ...actions.map(({ body }) => body)].filter((name) => name !== undefined);

const membersOf = ({ member, actions }: Collection): string[] =>
  [member, ...actions.map(({ returns }) => returns)].filter((name) => name !== undefined);

const tableOf = (versions: readonly { version: string; collections: readonly Collection[] }[]): string => {
  const entries = versions.map(({ version, collections }) => {
    const members = collections.map(({ name }) => `readonly '${name}': ${shapeName(name, version)};\n`);
    return `readonly ${version}: {\n${members.join('')}};\n`;
  });
  return `/** The collections of each version. */\nexport interface Resources {\n${entries.join('')}}\n`;
};

/** `invoice-items` in v1: `InvoiceItemsV1`. */
const shapeName = (name: string, version: string): string =>
  [...name.split('-'), version].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

/** Declares the types of a collection: an interface, because editors show its name and not its members. */
const shapeOf = (
  collection: Collection,
  version: string,
  schemas: Schemas,
  { requests, responses }: { readonly requests: TypeWriter; readonly responses: TypeWriter },
): string => {
  const { name, member = '', create, update, replace, actions, lists, parameters } = collection;
  const { properties = {} } = schemas[member] ?? {};
  const required = collection.expand.member;
  const relations = required.map((relation) => [relation, properties[relation] ?? {}] as const);
  const expand = responses.members({ properties: Object.fromEntries(relations), required });
  const members = property({
    ...{ member, create, update, replace },
    delete: collection.statuses['delete'] ? 'true' : undefined,
    actions: actions.length > 0 ? `{\n${actions.map(typeOfAction).join('')}}` : undefined,
    lists: union(Object.keys(lists)),
    expand: expand ? `{\n${expand}}` : 'object',
    listExpand: union(collection.expand.list) ?? 'never',
    filter: `{\n${filterOf(parameters, requests)}}`,
    sort: union(collection.sort),
    offset: String(parameters.some((one) => one.name === 'page')),
  });
  return `/** The bodies and responses of the collection ${name}. */\nexport interface ${shapeName(name, version)} {\n${members}}\n`;
};

/** A resource has the relations only if a request names them, so they are not members of its type. */
const withoutRelations = (schemas: Schemas, collections: readonly Collection[]): Schemas => {
  const relations = new Map(collections.map(({ member, expand }) => [member, expand.member]));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const members = Object.entries(schema.properties ?? {}).filter(
        ([member]) => !relations.get(name)?.includes(member),
      );
      return [name, schema.properties ? { ...schema, properties: Object.fromEntries(members) } : schema];
    }),
  );
};

const filterOf = (parameters: readonly Parameter[], writer: TypeWriter): string => {
  const filters = parameters.filter((one) => one.in === 'query' && !COMMON_PARAMETERS.includes(one.name));
  const properties = filters.map(({ name, schema }) => [
    name,
    schema.items ? { anyOf: [schema.items, schema] } : schema,
  ]);
  return writer.members({ properties: Object.fromEntries(properties) });
};

const union = (names: readonly string[]): string | undefined =>
  names.map((name) => `'${name}'`).join(' | ') || undefined;

const typeOfAction = ({ name, body, returns = 'undefined' }: Action): string =>
  property({ [`'${name}'`]: `{\n${property({ body, returns })}}` });

const property = (types: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(types)
    .flatMap(([name, type]) => (type ? `readonly ${name}: ${type};\n` : []))
    .join('');

/** Declares a schema, and the schemas that it refers to. */
const declare = (name: string, schemas: Schemas, writer: TypeWriter, declarations: Map<string, string>): void => {
  if (declarations.has(name)) return;
  const schema = schemas[name];
  if (!schema) throw new Error(`docs/openapi.json has no schema ${name}.`);
  const { description } = schema;
  declarations.set(name, `${description ? `/** ${description} */\n` : ''}${writer.declarationOf(name, schema)}`);
  for (const other of [...writer.referenced]) declare(other, schemas, writer, declarations);
};
