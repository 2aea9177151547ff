import { type Schema, TypeWriter } from './schema.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

type Methods = Readonly<Record<string, Operation>>;

/** The parts of an OpenAPI document that the types need. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Methods>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const VERSIONS = ['v1', 'v2'];
/** The query parameters of every collection. */
const COMMON_PARAMETERS = ['fields', 'expand', 'sort', 'after', 'limit', 'page', 'per_page'];

const HEADING = `// Written by \`npm run client:types\` from docs/openapi.json: not to be edited.
`;

/** Writes the types of the client: of all collections, by version, and of their schemas. */
export const typesOf = (document: OpenApi): string => {
  const [requests, responses] = [new TypeWriter(true), new TypeWriter(false)];
  const { schemas } = document.components;
  const resources = VERSIONS.map((version) => {
    const collections = collectionsOf(document, version).map(
      (collection) =>
        `readonly '${collection}': {\n${typesOfCollection(document, `/${version}/${collection}`, requests)}};\n`,
    );
    return `readonly ${version}: {\n${collections.join('')}};\n`;
  });
  const text = resources.join('');
  const names = Object.keys(schemas).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const declarations = new Map<string, string>();
  for (const name of [...names, 'Problem'])
    declare(name, schemas, /^New|(Patch|Replacement)V\d$/.test(name) ? requests : responses, declarations);
  const lists = [...new Map([...requests.lists, ...responses.lists])].map(
    ([name, type]) => `export type ${name} = ${type};\n`,
  );
  const all = `/** What each collection takes and gives, by version. */\nexport interface Resources {\n${text}}\n`;
  return [HEADING, ...lists, ...declarations.values(), all].join('\n');
};

const collectionsOf = ({ paths }: OpenApi, version: string): string[] =>
  Object.keys(paths).flatMap((path) => new RegExp(`^/${version}/([a-z-]+)$`).exec(path)?.[1] ?? []);

const typesOfCollection = ({ paths, components }: OpenApi, path: string, writer: TypeWriter): string => {
  const list = paths[path]?.['get'] as Operation;
  const create = paths[path]?.['post'];
  const [, member = {}] =
    Object.entries(paths).find(([one]) => /^\{\w+\}$/.test(one.slice(path.length + 1)) && one.startsWith(`${path}/`)) ??
    [];
  const parameters = (list.parameters ?? []).map((one) =>
    one.$ref ? (components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
  );
  const has = (name: string) => parameters.some((one) => one.name === name);
  const filters = parameters.filter((one) => one.in === 'query' && !COMMON_PARAMETERS.includes(one.name));
  const expand = parameters.find((one) => one.name === 'expand')?.schema.items?.enum ?? [];
  const filter = writer.members({ properties: Object.fromEntries(filters.map(({ name, schema }) => [name, schema])) });
  const created = Object.entries(create?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
  const parts = {
    member: schemaName(created),
    create: schemaName(create?.requestBody),
    update: schemaName(member['patch']?.requestBody),
    replace: schemaName(member['put']?.requestBody),
    expand: expand.map((name) => `'${name}'`).join(' | ') || 'never',
    filter: `{\n${filter}}`,
    offset: String(has('page')),
  };
  return Object.entries(parts)
    .flatMap(([name, type]) => (type ? `readonly ${name}: ${type};\n` : []))
    .join('');
};

const schemaName = (content: Content | undefined): string | undefined =>
  content?.content?.['application/json']?.schema.$ref?.split('/').at(-1);

/** Declares a schema, and the schemas that it refers to. */
const declare = (
  name: string,
  schemas: OpenApi['components']['schemas'],
  writer: TypeWriter,
  declarations: Map<string, string>,
): void => {
  if (declarations.has(name)) return;
  const schema = schemas[name];
  if (!schema) throw new Error(`docs/openapi.json has no schema ${name}.`);
  const { description } = schema;
  declarations.set(
    name,
    `${description ? `/** ${description} */\n` : ''}export interface ${name} {\n${writer.members(schema)}}\n`,
  );
  for (const other of [...writer.referenced]) declare(other, schemas, writer, declarations);
};
