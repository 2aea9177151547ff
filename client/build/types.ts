import { type Schema, type Writer, writer } from './schema.ts';

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

/** What of an OpenAPI document the types are made of. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Methods>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const VERSIONS = ['v1', 'v2'];
/** What any list takes, whatever it holds. */
const COMMON = ['fields', 'expand', 'sort', 'after', 'limit', 'page', 'per_page'];

const nameIn = (content: Content | undefined): string | undefined =>
  content?.content?.['application/json']?.schema.$ref?.split('/').at(-1);

/** What one collection takes and gives, under one version. */
const shape = ({ paths, components }: OpenApi, path: string, written: Writer): string => {
  const list = paths[path]?.['get'] as Operation;
  const create = paths[path]?.['post'];
  const [, member = {}] =
    Object.entries(paths).find(([one]) => /^\{\w+\}$/.test(one.slice(path.length + 1)) && one.startsWith(`${path}/`)) ??
    [];
  const parameters = (list.parameters ?? []).map((one) =>
    one.$ref ? (components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
  );
  const has = (name: string) => parameters.some((one) => one.name === name);
  const filters = parameters.filter((one) => one.in === 'query' && !COMMON.includes(one.name));
  const expand = parameters.find((one) => one.name === 'expand')?.schema.items?.enum ?? [];
  const filter = written.members({ properties: Object.fromEntries(filters.map(({ name, schema }) => [name, schema])) });
  const answers = Object.entries(create?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
  const parts = {
    member: nameIn(answers),
    create: nameIn(create?.requestBody),
    update: nameIn(member['patch']?.requestBody),
    replace: nameIn(member['put']?.requestBody),
    expand: expand.map((name) => `'${name}'`).join(' | ') || 'never',
    filter: `{\n${filter}}`,
    offset: String(has('page')),
  };
  return Object.entries(parts)
    .flatMap(([name, type]) => (type ? `readonly ${name}: ${type};\n` : []))
    .join('');
};

const collectionsOf = ({ paths }: OpenApi, version: string): string[] =>
  Object.keys(paths).flatMap((path) => new RegExp(`^/${version}/([a-z-]+)$`).exec(path)?.[1] ?? []);

const HEADING = `// Written by \`npm run client:types\` from docs/openapi.json: not to be edited.
`;

/** The types of a client, for all that the document's collections take and give; nothing of it is left at run time. */
export const typesOf = (document: OpenApi): string => {
  const [sent, received] = [writer(true), writer(false)];
  const { schemas } = document.components;
  const resources = VERSIONS.map((version) => {
    const shapes = collectionsOf(document, version).map(
      (collection) => `readonly '${collection}': {\n${shape(document, `/${version}/${collection}`, sent)}};\n`,
    );
    return `readonly ${version}: {\n${shapes.join('')}};\n`;
  });
  const text = resources.join('');
  const named = Object.keys(schemas).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const declared = new Map<string, string>();
  for (const name of [...named, 'Problem'])
    declare(name, schemas, /^New|(Patch|Replacement)V\d$/.test(name) ? sent : received, declared);
  const lists = [...new Map([...sent.lists, ...received.lists])].map(
    ([name, type]) => `export type ${name} = ${type};\n`,
  );
  const all = `/** What each collection takes and gives, by version. */\nexport interface Resources {\n${text}}\n`;
  return [HEADING, ...lists, ...declared.values(), all].join('\n');
};

/** Declares a schema, and all that it refers to. */
const declare = (
  name: string,
  schemas: OpenApi['components']['schemas'],
  written: Writer,
  declared: Map<string, string>,
): void => {
  if (declared.has(name)) return;
  const schema = schemas[name];
  if (!schema) throw new Error(`The document has no schema ${name}.`);
  const { description } = schema;
  declared.set(
    name,
    `${description ? `/** ${description} */\n` : ''}export interface ${name} {\n${written.members(schema)}}\n`,
  );
  for (const other of [...written.referred]) declare(other, schemas, written, declared);
};
