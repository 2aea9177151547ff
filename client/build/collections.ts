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

/** The declared statuses of successes, by the names that the client gives to operations. */
type Statuses = Readonly<Record<string, number>>;

/** A verb below a member: `POST /invoices/{invoice_id}/cancel`. */
export interface Action {
  readonly name: string;
  readonly status: number;
  /** The name of the schema of the body, for a verb with a body. */
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
  /**
   * The statuses of the collection and its members, and of each file below a member: `GET /exports/{export_id}/file`.
   */
  readonly statuses: Statuses;
  readonly actions: readonly Action[];
  /** The lists below a member, with their statuses: `GET /invoices/{invoice_id}/payments`. */
  readonly lists: Readonly<Record<string, Statuses>>;
  readonly parameters: readonly Parameter[];
  /** The relations that a member and the rows of a list can embed. */
  readonly expand: { readonly member: readonly string[]; readonly list: readonly string[] };
  readonly sort: readonly string[];
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
  const direct = below.filter((other) => !nameOf(other).includes('/'));
  const actions = direct.filter((other) => paths[other]?.['post']);
  const lists = direct.flatMap((other) => {
    const row = below.find((another) => isMember(another, other));
    return row ? [{ path: other, row }] : [];
  });
  const files = direct.filter((other) => paths[other]?.['get'] && !lists.some((list) => list.path === other));
  return {
    name,
    member: memberName(success(one['get']), components.schemas),
    create: schemaName(all['post']?.requestBody),
    update: schemaName(one['patch']?.requestBody),
    replace: schemaName(one['put']?.requestBody),
    statuses: statusesOf({
      ...readsOf(all, one),
      ...{ create: all['post'], patch: one['patch'], replace: one['put'], delete: one['delete'] },
      ...Object.fromEntries(files.map((other) => [nameOf(other), paths[other]?.['get']])),
    }),
    actions: actions.map((other) => actionOf(nameOf(other), paths[other]?.['post'] as Operation, components.schemas)),
    lists: Object.fromEntries(
      lists.map((list) => [nameOf(list.path), statusesOf(readsOf(paths[list.path], paths[list.row]))]),
    ),
    parameters,
    expand: {
      member: valuesOf('expand', parametersOf(one['get']), components.schemas),
      list: valuesOf('expand', parameters, components.schemas),
    },
    sort: valuesOf('sort', parameters, components.schemas),
  };
};

/** The values of the parameter `sort` or `expand`. */
const valuesOf = (name: string, parameters: readonly Parameter[], schemas: Schemas): readonly string[] => {
  const { items, ...schema } = parameters.find((one) => one.name === name)?.schema ?? {};
  const { $ref } = items ?? schema;
  return ($ref && schemas[lastSegment($ref)]?.enum) || [];
};

const actionOf = (name: string, operation: Operation, schemas: Schemas): Action => ({
  name,
  status: statusOf(operation),
  body: schemaName(operation.requestBody),
  returns: memberName(success(operation), schemas),
});

const readsOf = (all: Methods | undefined, one: Methods | undefined) => ({ list: all?.['get'], get: one?.['get'] });

const statusesOf = (operations: Readonly<Record<string, Operation | undefined>>): Statuses =>
  Object.fromEntries(
    Object.entries(operations).flatMap(([name, operation]) => (operation ? [[name, statusOf(operation)]] : [])),
  );

/** Without a body. */
const BODILESS = [204, 303];

/**
 * The status of a success. The client accepts only this status, with a JSON body unless it is {@link BODILESS}. It
 * sends no `If-None-Match`, so it never gets 304.
 */
const statusOf = ({ responses }: Operation): number => {
  const [status = 0, ...others] = Object.keys(responses)
    .map(Number)
    .filter((declared) => declared < 400 && declared !== 304);
  const hasBody = Boolean(responses[status]?.content?.['application/json']);
  if (others.length > 0 || hasBody === BODILESS.includes(status))
    throw new Error(
      `The client expects one success of an operation, with JSON unless it is 204 or 303, not ${status}, ${others}.`,
    );
  return status;
};

const success = (operation: Operation | undefined): Content | undefined =>
  Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];

/**
 * The name of the schema of a whole member. The schema of a GET has no required fields, because `fields` selects some
 * of them. The schema of a creation has a nullable id, because a dry run creates nothing.
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
