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
