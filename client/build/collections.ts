import type { Schema } from './schema.ts';

export interface Parameter {
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

type Schemas = Readonly<Record<string, Schema>>;

/** The parts of an OpenAPI document that the client needs. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Methods>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** A verb below a member: `POST /invoices/{invoice_id}/cancel`. */
export interface Action {
  readonly name: string;
  /** The name of the schema of the body, if the verb has one. */
  readonly body: string | undefined;
  readonly returns: string | undefined;
}

/** The operations of a collection in one version. Bodies and members are names of schemas. */
export interface Collection {
  readonly name: string;
  readonly member: string | undefined;
  readonly create: string | undefined;
  readonly update: string | undefined;
  readonly replace: string | undefined;
  readonly isDeletable: boolean;
  readonly actions: readonly Action[];
  /** The lists below a member: `GET /invoices/{invoice_id}/payments`. */
  readonly lists: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The relations that a member and the rows of a list can embed. */
  readonly expand: { readonly member: readonly string[]; readonly list: readonly string[] };
}

/** The collections of a version: the paths `/<version>/<name>` that have a member `/<version>/<name>/{id}`. */
export const collectionsOf = (document: OpenApi, version: string): Collection[] =>
  Object.keys(document.paths).flatMap((path) => {
    const name = new RegExp(`^/${version}/([a-z-]+)$`).exec(path)?.[1];
    const member = Object.keys(document.paths).find((other) => isMember(other, path));
    return name && member ? [collectionOf(document, name, path, member)] : [];
  });

const isMember = (path: string, collection: string): boolean =>
  path.startsWith(`${collection}/`) && /^\{\w+\}$/.test(path.slice(collection.length + 1));

const collectionOf = ({ paths, components }: OpenApi, name: string, path: string, member: string): Collection => {
  const [all, one] = [paths[path] as Methods, paths[member] as Methods];
  const below = Object.keys(paths).filter((other) => other.startsWith(`${member}/`));
  const nameOf = (other: string) => other.slice(member.length + 1);
  const parametersOf = (operation: Operation | undefined): Parameter[] =>
    (operation?.parameters ?? []).map((each) =>
      each.$ref ? (components.parameters[lastSegment(each.$ref)] as Parameter) : each,
    );
  const parameters = parametersOf(all['get']);
  const actions = below.filter((other) => paths[other]?.['post'] && !nameOf(other).includes('/'));
  return {
    name,
    member: memberName(success(one['get']), components.schemas),
    create: schemaName(all['post']?.requestBody),
    update: schemaName(one['patch']?.requestBody),
    replace: schemaName(one['put']?.requestBody),
    isDeletable: 'delete' in one,
    actions: actions.map((other) => actionOf(nameOf(other), paths[other]?.['post'] as Operation, components.schemas)),
    lists: below.filter((other) => below.some((another) => isMember(another, other))).map(nameOf),
    parameters,
    expand: { member: relationsOf(parametersOf(one['get'])), list: relationsOf(parameters) },
  };
};

const relationsOf = (parameters: readonly Parameter[]): string[] =>
  (parameters.find(({ name }) => name === 'expand')?.schema.items?.enum ?? []).filter((name) => name !== null);

const actionOf = (name: string, { requestBody, responses }: Operation, schemas: Schemas): Action => ({
  name,
  body: schemaName(requestBody),
  returns: memberName(success({ responses }), schemas),
});

const success = (operation: Operation | undefined): Content | undefined =>
  Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];

/**
 * The name of the schema of a whole member. That of a GET has no required fields, because `fields` selects some, and that of
 * a creation a nullable id, because a dry run creates nothing.
 */
const memberName = (content: Content | undefined, schemas: Schemas): string | undefined => {
  const name = schemaName(content);
  const schema = name ? schemas[name] : undefined;
  const whole = schema?.['x-without-fields'] ?? schema?.['x-without-dry-run'];
  return whole ? lastSegment(whole.$ref) : name;
};

const schemaName = (content: Content | undefined): string | undefined => {
  const schema = content?.content?.['application/json']?.schema;
  if (!schema) return undefined;
  if (!schema.$ref) throw new Error(`A body has no named schema: ${JSON.stringify(schema)}`);
  return lastSegment(schema.$ref);
};

const lastSegment = (ref: string): string => ref.split('/').at(-1) as string;
