import type { ExportTerms } from '#shared/invoicing/exports/rules.ts';
import { createSerializer, type Resource } from '#shared/platform/resource.ts';
import type { Field, Fields, Row } from '#shared/platform/wire/field.ts';

/** How a file is written: what stands before its rows, and each row. */
export interface Lines {
  readonly type: string;
  readonly head: string;
  line(row: Row): string;
}

/** What RFC 4180 wants in quotes; the empty text too, which else would read as null. */
const QUOTED = /[",\r\n]|^$/;
/** What a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;

/** A value as a cell: nothing for null, JSON for what is nested; a text that reads as a formula is kept from it. */
const cell = (value: unknown): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

const fieldOf = (fields: Fields, name: string): Field => {
  const field = fields[name];
  if (!field) throw new Error(`There is no field ${name}.`);
  return field;
};

/**
 * The file of a resource: the named v1 fields (CONTRACT §9).
 * @param columns their names, in order
 * @throws Error when the resource has no field of that name
 */
export const linesOf = (
  { fields: { v1 } }: Pick<Resource, 'fields'>,
  format: ExportTerms['format'],
  columns: readonly string[] = Object.keys(v1),
): Lines => {
  const write = createSerializer(Object.fromEntries(columns.map((name) => [name, fieldOf(v1, name)])));
  return format === 'csv'
    ? {
        type: 'text/csv; charset=utf-8',
        head: csvLine(columns),
        line: (row) => csvLine(Object.values(write(row)).map(cell)),
      }
    : { type: 'application/x-ndjson', head: '', line: (row) => `${JSON.stringify(write(row))}\n` };
};
