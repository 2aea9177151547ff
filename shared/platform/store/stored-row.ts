import { isDeepStrictEqual } from 'node:util';
import type { Attributes, Clause } from '#shared/platform/dynamodb/expression.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';

/**
 * A row as it was read. It has the declared value of each attribute that it lacks because it was stored before the
 * attribute existed.
 * @param attributes the attributes that were read; all by default
 */
export const readRow = <T extends object>(
  { storedBefore }: Pick<Table, 'storedBefore'>,
  row: T,
  attributes?: readonly string[],
): T => {
  if (!storedBefore) return row;
  const isMissing = (name: string) =>
    Reflect.get(row, name) === undefined && (attributes === undefined || attributes.includes(name));
  const missing = Object.entries<unknown>(storedBefore).filter(([name]) => isMissing(name));
  return missing.length > 0 ? { ...row, ...Object.fromEntries(missing) } : row;
};

interface ChangedAttributes {
  readonly set: Attributes;
  readonly remove: readonly string[];
}

export const changedAttributes = (before: Attributes, after: Attributes): ChangedAttributes => {
  const set: Record<string, unknown> = {};
  const remove: string[] = [];
  for (const [attribute, value] of Object.entries(after)) {
    if (isDeepStrictEqual(value, before[attribute])) continue;
    if (value === undefined) remove.push(attribute);
    else set[attribute] = value;
  }
  return { set, remove };
};

/**
 * The clause that an attribute has this value. A row of an older deployment lacks attributes that are newer.
 * @param before the value that a row without the attribute is read with ({@link readRow})
 */
export const unchangedClause = (attribute: string, value: unknown, before?: unknown): Clause => {
  if (value === undefined) return [attribute, 'absent'];
  return [attribute, isDeepStrictEqual(value, before) ? 'absent or =' : '=', value];
};
