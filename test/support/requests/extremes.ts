import * as v from 'valibot';
import { jsonSchema } from '#shared/openapi/json-schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** Units of text that storage, JSON, CSV or UTF-16 could treat in a special way. */
const UNITS = ['x', '\uffff', '😀', '"', '\u0001'];
/** In a longer enum, only some values are extremes. */
const MANY = 50;
/** The limit of texts for which the contract states no limit (CONTRACT §3). */
const MAX_LENGTH = 1000;

/** The shortest and longest, smallest and largest, emptiest and fullest values of a schema, and each value of an enum. */
export const extremesOf = (schema: v.GenericSchema): unknown[] =>
  extremes(jsonSchema(schema)).filter((value) => v.is(schema, value));

/** Objects in which each of these members has each of its values at least once. */
export const combine = (values: Readonly<Record<string, readonly unknown[]>>): Json[] => {
  const members = Object.entries(values);
  const most = Math.max(0, ...members.map(([, each]) => each.length));
  return Array.from({ length: most }, (_, i) =>
    Object.fromEntries(members.map(([name, each]) => [name, each[i % each.length]])),
  );
};

const extremes = (schema: Json): unknown[] => {
  const { anyOf, type, enum: values } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap(extremes);
  if (Array.isArray(values)) return values.length > MANY ? [values[0], values.at(-2), values.at(-1)] : values;
  if (Array.isArray(type))
    return type.flatMap((each) => (each === 'null' ? [null] : extremes({ ...schema, type: each })));
  if (type === 'null') return [null];
  if (type === 'string') return texts(schema);
  if (type === 'integer') return [schema['minimum'], schema['maximum']];
  if (type === 'number') return [schema['minimum'] ?? 0.000001, 0.1, schema['maximum']];
  if (type === 'array') return arrays(schema);
  if (type === 'object') return objects(schema);
  throw new Error(`test/support/requests/extremes.ts has no values for ${JSON.stringify(schema)}.`);
};

const texts = ({ format, pattern, minLength = 0, maxLength = MAX_LENGTH }: Json): string[] => {
  if (format === 'date') return ['1900-01-01', '2024-02-29', '9999-12-31'];
  if (format === 'date-time' || String(pattern).includes('T'))
    return ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
  if (pattern === '^[A-Z]{3}$') return ['USD', 'JPY', 'KWD'];
  if (pattern === '^[A-Z0-9]{1,10}$') return ['A', '0'.repeat(10)];
  if (String(pattern).includes('/_-')) return ['', '-', `${'9'.repeat(19)}A`];
  if (String(pattern).includes('@'))
    return ['x@x', ...UNITS.map((unit) => `${unit.repeat((maxLength as number) - 2)}@x`)];
  const lists = severalValues(pattern);
  if (lists.length > 0) return lists;
  if (pattern !== undefined)
    throw new Error(`test/support/requests/extremes.ts has no text for the pattern ${pattern}.`);
  return [...UNITS.map((unit) => unit.repeat(maxLength as number)), ...(minLength === 0 ? [''] : ['x'])];
};

const MAX_IDS_TEXT = Array.from({ length: 10 }, (_, i) => Number.MAX_SAFE_INTEGER - i).join();

/** Texts of a filter of exports that accepts several values: one value or the fewest, and the most. */
export const severalValues = (pattern: unknown): string[] => {
  const text = String(pattern);
  if (text.startsWith('^[1-9]')) return ['1,2', MAX_IDS_TEXT];
  const values = /^\^\(\?:([^)]+)\)\(\?:,/.exec(text)?.[1]?.split('|') ?? [];
  return values.length > 0 ? [values[0] as string, values.join()] : [];
};

const arrays = ({ items, minItems = 0, maxItems }: Json): unknown[][] => {
  const values = extremes(items as Json);
  // Also without the first value, which may exclude the other values.
  const fullest = [values, values.slice(1)].map((each) => each.slice(0, maxItems as number | undefined));
  return [...fullest, values.slice(0, 1), ...(minItems === 0 ? [[]] : [])];
};

const objects = ({ properties, required, additionalProperties, propertyNames, maxProperties }: Json): Json[] => {
  if (properties) {
    const members = Object.entries(properties as Readonly<Record<string, Json>>);
    const filled = combine(Object.fromEntries(members.map(([name, schema]) => [name, extremes(schema)])));
    return required ? filled : [{}, ...filled];
  }
  const [key = 'x'] = texts(propertyNames as Json);
  const names = Array.from({ length: maxProperties as number }, (_, i) => `${i}`.padStart(2, '0') + key.slice(2));
  return [
    {},
    ...extremes(additionalProperties as Json).map((value) => Object.fromEntries(names.map((name) => [name, value]))),
  ];
};
