import type { ExportTerms } from '#shared/invoicing/exports/rules.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { createSerializer, type Field, type Fields, type Row } from '#shared/platform/wire/field.ts';

/** The format of a file. */
export interface Lines {
  readonly type: string;
  /** The text before the first row. */
  readonly head: string;
  line(row: Row): string;
}

/**
 * @param columns names of v1 fields, in order
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
        line: (row) => csvLine(Object.values(write(row)).map(toCell)),
      }
    : { type: 'application/x-ndjson', head: '', line: (row) => `${JSON.stringify(write(row))}\n` };
};

/** RFC 4180. The empty string is quoted, too: without quotes it means null. */
const NEEDS_QUOTES = /[",\r\n]|^$/;
/** Texts that a spreadsheet may run as a formula, also after white space or in full width (CONTRACT §9). */
const FORMULA = /^(?:[\t\r\n]|[\s\u0085\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/** Nested values are JSON. An apostrophe keeps a spreadsheet from running a text as a formula. */
const toCell = (value: unknown): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

const fieldOf = (fields: Fields, name: string): Field => {
  const field = fields[name];
  if (!field) throw new Error(`No field ${name}.`);
  return field;
};
