import { tables } from '#shared/invoicing/tables.ts';
import type { Attributes, Clause } from '#shared/platform/dynamodb/expression.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import { unchangedClause } from '#shared/platform/dynamodb/table.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

/**
 * The clauses that a row still has the attributes of its index keys. Some attributes, such as the position of a webhook
 * endpoint, change without the version.
 */
export const sourceClauses = (table: ResourceName, row: Attributes): Clause[] => {
  const { indexes: declared, due, storedBefore }: Table = tables[table];
  const sources = [...declared.flatMap(({ filters, sort }) => [...filters, ...(sort ? [sort] : [])]), due];
  return ['version', ...new Set(sources.filter((name) => name !== undefined))].map((name) =>
    unchangedClause(name, row[name], storedBefore?.[name]),
  );
};
