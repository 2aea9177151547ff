/** The parts of a JSON Schema that the types need. */
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
  /** The schema of a response to a GET without `fields`. */
  readonly 'x-without-fields'?: { readonly $ref: string };
  /** The schema of a response to a creation without `dry_run`. */
  readonly 'x-without-dry-run'?: { readonly $ref: string };
}

/** Converts schemas to TypeScript, and collects the declarations that the result refers to. */
export class TypeWriter {
  /** Long lists of values, which get declarations of their own, by name. */
  readonly lists = new Map<string, string>();
  /** The names of the referenced schemas. */
  readonly referenced = new Set<string>();
  readonly #isRequest: boolean;
  /** The schema whose members are being written. */
  #owner = '';

  /** @param isRequest whether an optional member may also be `undefined`, as in a request */
  constructor(isRequest: boolean) {
    this.#isRequest = isRequest;
  }

  /** Declares a named schema: an object, or a choice of other schemas. */
  declarationOf(name: string, schema: Schema): string {
    this.#owner = name;
    return schema.anyOf
      ? `export type ${name} = ${this.#type(schema, name)};\n`
      : `export interface ${name} {\n${this.members(schema)}}\n`;
  }

  /** The members of an object, each on its own line. */
  members({ properties = {}, required = [] }: Schema): string {
    return Object.entries(properties)
      .map(([name, schema]) => {
        const optional = required.includes(name) ? '' : '?';
        const type = this.#type(schema, name);
        const orUndefined = optional && this.#isRequest && type !== 'unknown' ? ' | undefined' : '';
        return `${comment(schema.description)}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}${optional}: ${type}${orUndefined};\n`;
      })
      .join('');
  }

  #type(schema: Schema, name: string): string {
    if (schema.$ref) return this.#reference(schema.$ref);
    if (schema.enum) return this.#union(schema.enum, name);
    if (schema.anyOf) return schema.anyOf.map((one) => this.#type(one, name)).join(' | ');
    const types = [schema.type ?? []].flat();
    return types.length === 0 ? 'unknown' : types.map((type) => this.#plain(schema, type, name)).join(' | ');
  }

  #reference(ref: string): string {
    const target = ref.split('/').at(-1) as string;
    this.referenced.add(target);
    return target;
  }

  #union(values: readonly (string | null)[], name: string): string {
    if (values.length <= MAX_INLINE_VALUES) return values.map(literal).join(' | ');
    const list = values.filter((value) => value !== null);
    const declared = this.#declareList(pascalCase(name), list.map(literal).join(' | '));
    return list.length < values.length ? `${declared} | null` : declared;
  }

  /** A second list of the same name also has the name of its schema. */
  #declareList(name: string, union: string): string {
    const isTaken = this.lists.has(name) && this.lists.get(name) !== union;
    const free = isTaken ? this.#owner + name : name;
    this.lists.set(free, union);
    return free;
  }

  #plain(schema: Schema, type: string, name: string): string {
    if (type === 'object') return this.#object(schema);
    if (type === 'array') return `readonly (${this.#type(schema.items ?? {}, name)})[]`;
    const primitive = PRIMITIVES[type];
    if (!primitive) throw new Error(`${name} has the type ${type}, which client/build/schema.ts does not know.`);
    return primitive;
  }

  #object({ additionalProperties, ...schema }: Schema): string {
    if (schema.properties) return `{\n${this.members(schema)}}`;
    const value = typeof additionalProperties === 'object' ? this.#type(additionalProperties, 'value') : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
}

const MAX_INLINE_VALUES = 20;

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const literal = (value: string | null): string => (value === null ? 'null' : `'${value}'`);

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll(/\s+/g, ' ')} */\n` : '');
