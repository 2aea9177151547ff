import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it, or another object of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** What an object's schema says of itself beside its checks (shared/platform/wire/schema.ts). */
interface SchemaMetadata {
  readonly members?: GenericSchema;
  readonly ignored?: readonly string[];
  readonly keys?: GenericSchema;
  readonly values?: GenericSchema;
  readonly most?: number;
}

/** Their facts stand beside them as metadata. */
const CHECKS = ['check', 'raw_check', 'transform', 'raw_transform'];

const objectOf = ({ members, ignored = [] }: SchemaMetadata): Json => {
  const { properties, required, ...rest } = jsonSchema(members as GenericSchema);
  const free = Object.fromEntries(ignored.map((name) => [name, { readOnly: true }]));
  const needed = (required as readonly string[]).length > 0 && { required };
  return { ...rest, ...needed, properties: { ...(properties as Json), ...free }, additionalProperties: false };
};

const mapOf = ({ keys, values, most = Number.POSITIVE_INFINITY }: SchemaMetadata): Json => ({
  type: 'object',
  propertyNames: jsonSchema(keys as GenericSchema),
  additionalProperties: jsonSchema(values as GenericSchema),
  ...(Number.isFinite(most) && { maxProperties: most }),
});

const nullable = (schema: Json): Json => {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
};

/** What a schema takes beside null. */
export const nonNullable = ({ anyOf, ...schema }: Json): Json => {
  if (Array.isArray(anyOf)) return anyOf[0] as Json;
  const { type, enum: values } = schema as { type?: unknown; enum?: unknown };
  return {
    ...schema,
    type: [type].flat().find((one) => one !== 'null'),
    ...(Array.isArray(values) && { enum: values.filter((one) => one !== null) }),
  };
};

/**
 * The JSON Schema of what a schema takes.
 * @throws Error for one that says of itself neither what it takes nor, as metadata, what its checks leave of that
 */
export const jsonSchema = (schema: GenericSchema): Json => {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: CHECKS,
    overrideSchema: ({ valibotSchema, jsonSchema: made }) => {
      if (valibotSchema.type === 'custom') return {};
      if (valibotSchema.type === 'nullable') return nullable((made.anyOf as Json[])[0] as Json);
      if (valibotSchema.type === 'non_nullable' && 'wrapped' in valibotSchema) {
        return nonNullable(jsonSchema(valibotSchema.wrapped as GenericSchema));
      }
      return undefined;
    },
    overrideAction: ({ valibotAction, jsonSchema: made }) => {
      const told = (valibotAction as { metadata?: SchemaMetadata }).metadata;
      if (told?.members) return objectOf(told);
      if (told?.values) return mapOf(told);
      return made;
    },
  });
  if (Object.keys(converted).length === 0) throw new Error(`A schema of type ${schema.type} says nothing of itself.`);
  // Facts that are undefined take one of the library's away.
  return JSON.parse(JSON.stringify(converted)) as Json;
};
