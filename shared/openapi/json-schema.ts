import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { MAX_VALUES } from '#shared/platform/wire/several-values.ts';

/** A JSON Schema (2020-12), or another object of the document. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of the input of a schema.
 * @throws Error for a custom schema without metadata
 */
export const jsonSchema = (schema: GenericSchema): Json => {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: IGNORED_ACTIONS,
    overrideSchema: ({ valibotSchema, jsonSchema: converted }) => {
      if (valibotSchema.type === 'optional') return describedDefault(converted as Json);
      if (valibotSchema.type === 'custom') return {};
      if (valibotSchema.type === 'nullable') return nullable((converted.anyOf as Json[])[0] as Json);
      if (valibotSchema.type === 'non_nullable' && 'wrapped' in valibotSchema) {
        return nonNullable(jsonSchema(valibotSchema.wrapped as GenericSchema));
      }
      return undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema: converted }) => {
      const metadata = (valibotAction as { metadata?: SchemaMetadata }).metadata;
      if (metadata?.members) return objectOf(metadata);
      if (metadata?.elements) return listOf(metadata);
      if (metadata?.values) return mapOf(metadata);
      if (metadata?.several) return severalOf(metadata.several);
      return metadata?.type === 'integer' ? integer(converted as Json) : converted;
    },
  });
  if (Object.keys(converted).length === 0)
    throw new Error(`A schema of type ${schema.type} has no metadata that describes it: add v.metadata.`);
  // Drops undefined values: in metadata, they remove a keyword of the library.
  return JSON.parse(JSON.stringify(converted)) as Json;
};

/** Generated Go has a syntax error for a default that is an object, and ogen refuses it. */
const describedDefault = ({ default: value, ...schema }: Json): Json =>
  typeof value === 'object' && value !== null ? { ...schema, 'x-default': value } : { ...schema, default: value };

const MAX_INT32 = 2 ** 31 - 1;

/** An integer with the format `int64` if it can exceed 32 bits: generated clients choose the type by the format. */
export const integer = ({ type: _, ...facts }: Json): Json => {
  const { maximum = Number.POSITIVE_INFINITY } = facts as { readonly maximum?: number };
  return { type: 'integer', ...(maximum > MAX_INT32 && { format: 'int64' }), ...facts };
};

export const nonNullable = ({ anyOf, ...schema }: Json): Json => {
  if (Array.isArray(anyOf)) return anyOf[0] as Json;
  return { ...schema, type: [schema['type']].flat().find((name) => name !== 'null') };
};

/** Describes the checks of a schema that the library cannot convert (shared/platform/wire/schema.ts). */
interface SchemaMetadata {
  readonly type?: string;
  readonly members?: GenericSchema;
  readonly ignored?: readonly string[];
  readonly rule?: Json;
  readonly title?: string;
  readonly elements?: GenericSchema;
  readonly several?: GenericSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly keys?: GenericSchema;
  readonly values?: GenericSchema;
  readonly max?: number;
}

/** The metadata of the schema describes the facts of these actions. */
const IGNORED_ACTIONS = ['check', 'raw_check', 'transform', 'raw_transform'];

const objectOf = ({ members, ignored = [], rule, title }: SchemaMetadata): Json => {
  const { properties, required, ...rest } = jsonSchema(members as GenericSchema);
  const free = Object.fromEntries(ignored.map((name) => [name, { readOnly: true }]));
  const needed = (required as readonly string[]).length > 0 && { required };
  const all = { ...(properties as Json), ...free };
  return { title, ...rest, ...needed, properties: all, additionalProperties: false, ...rule };
};

const listOf = ({ elements, minItems, maxItems, rule }: SchemaMetadata): Json => ({
  ...jsonSchema(elements as GenericSchema),
  minItems,
  maxItems,
  ...rule,
});

/** An integer, or values that are separated by commas. */
const severalOf = (schema: GenericSchema): Json => {
  const items = nonNullable(jsonSchema(schema));
  const value = Array.isArray(items['enum']) ? `(?:${items['enum'].join('|')})` : '[1-9]\\d{0,15}';
  const pattern = `^${value}(?:,${value}){${items['enum'] ? 0 : 1},${MAX_VALUES - 1}}$`;
  const text = { type: 'string', pattern };
  return items['enum'] ? text : { title: 'IdFilter', anyOf: [items, text] };
};

const mapOf = ({ keys, values, max = Number.POSITIVE_INFINITY }: SchemaMetadata): Json => ({
  type: 'object',
  propertyNames: jsonSchema(keys as GenericSchema),
  additionalProperties: jsonSchema(values as GenericSchema),
  ...(Number.isFinite(max) && { maxProperties: max }),
});

/** Generators do not support an object in a list of types. A schema with a name keeps it. */
export const nullable = (schema: Json): Json => {
  const { type, title } = schema;
  const isType = typeof type === 'string' && type !== 'object' && title === undefined;
  return isType ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
};
