/** What of a JSON Schema in the document tells of types. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly readOnly?: boolean;
}

/** Writes types, and gathers the names of those that they refer to. */
export interface Writer {
  /** The type of a schema; `name` is what it is the value of. */
  type(schema: Schema, name: string): string;
  /** The members of an object, each on a line of its own. */
  members(schema: Schema): string;
  /** Lists of values that are too long to stand in place, as declarations by their names. */
  readonly lists: ReadonlyMap<string, string>;
  /** The schemas that were referred to. */
  readonly referred: ReadonlySet<string>;
}

/** More values than this are a type by themselves. */
const SHORT = 20;

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

const pascal = (name: string): string => name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const literal = (value: string | null): string => (value === null ? 'null' : `'${value}'`);

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll(/\s+/g, ' ')} */\n` : '');

/** @param isSent for what a client sends: there a member that is left out may be undefined, too */
export const writer = (isSent: boolean): Writer => {
  const lists = new Map<string, string>();
  const referred = new Set<string>();

  const oneOf = (values: readonly (string | null)[], name: string): string => {
    if (values.length <= SHORT) return values.map(literal).join(' | ');
    const list = values.filter((value) => value !== null);
    lists.set(pascal(name), list.map(literal).join(' | '));
    return list.length < values.length ? `${pascal(name)} | null` : pascal(name);
  };

  const object = (schema: Schema): string => {
    if (schema.properties) return `{\n${members(schema)}}`;
    const rest = schema.additionalProperties;
    return typeof rest === 'object'
      ? `Readonly<Record<string, ${type(rest, 'value')}>>`
      : 'Readonly<Record<string, unknown>>';
  };

  const plain = (schema: Schema, kind: string, name: string): string => {
    if (kind === 'object') return object(schema);
    if (kind === 'array') return `readonly (${type(schema.items ?? {}, name)})[]`;
    const written = PRIMITIVES[kind];
    if (!written) throw new Error(`${name} is of an unknown type, ${kind}.`);
    return written;
  };

  const type = (schema: Schema, name: string): string => {
    if (schema.$ref) {
      const target = schema.$ref.split('/').at(-1) as string;
      referred.add(target);
      return target;
    }
    if (schema.enum) return oneOf(schema.enum, name);
    if (schema.anyOf) return schema.anyOf.map((one) => type(one, name)).join(' | ');
    const kinds = [schema.type ?? []].flat();
    return kinds.length === 0 ? 'unknown' : kinds.map((kind) => plain(schema, kind, name)).join(' | ');
  };

  const members = ({ properties = {}, required = [] }: Schema): string =>
    Object.entries(properties)
      .map(([name, schema]) => {
        const optional = required.includes(name) ? '' : '?';
        const value = type(schema, name);
        const written = optional && isSent && value !== 'unknown' ? `${value} | undefined` : value;
        return `${comment(schema.description)}readonly ${name}${optional}: ${written};\n`;
      })
      .join('');

  return { type, members, lists, referred };
};
