/** The parts of a JSON Schema that the types need. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
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
  /** The names of the referenced schemas. */
  readonly referenced = new Set<string>();
  readonly #isRequest: boolean;

  /** @param isRequest whether an optional member may also be `undefined`, as in a request */
  constructor(isRequest: boolean) {
    this.#isRequest = isRequest;
  }

  /** Declares a named schema: an object, a choice of other schemas, or a list of values. */
  declarationOf(name: string, schema: Schema): string {
    return schema.anyOf || schema.enum
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
    if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
    if (schema.anyOf) return schema.anyOf.map((one) => this.#type(one, name)).join(' | ');
    const types = [schema.type ?? []].flat();
    return types.length === 0 ? 'unknown' : types.map((type) => this.#plain(schema, type, name)).join(' | ');
  }

  #reference(ref: string): string {
    const target = ref.split('/').at(-1) as string;
    this.referenced.add(target);
    return target;
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

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll(/\s+/g, ' ')} */\n` : '');
