import { type Fields, type Row, valueFor } from './field.ts';

/** The stored attributes that these fields need (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

/**
 * Serializes rows: all fields, or the fields with these names. It does not check the values: rows are checked when they
 * are written, and a newer or an older deployment may have written other values.
 */
export const createSerializer = (
  fields: Fields,
  names: readonly string[] = Object.keys(fields),
): ((row: Row) => Record<string, unknown>) => {
  const selected = Object.entries(fields).filter(([name]) => names.includes(name));
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const [name, field] of selected) {
      const value = valueFor(name, field, row);
      result[name] = typeof value === 'object' && !field.value ? sortMembers(value) : value;
    }
    return result;
  };
};

/** Sorts members by name: DynamoDB's maps have no order, but a strong ETag identifies a sequence of bytes. */
const sortMembers = (value: object | null): unknown =>
  value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
