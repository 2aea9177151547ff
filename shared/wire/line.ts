import type { ExportTerms } from '#shared/domain/export.ts';
import type { Row } from './field.ts';
import { type Resource, writer } from './resource.ts';

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

/** The file of a resource: its v1 fields in their documented order (CONTRACT §9). */
export const linesOf = ({ fields: { v1 } }: Resource, format: ExportTerms['format']): Lines => {
  const write = writer(v1);
  return format === 'csv'
    ? {
        type: 'text/csv; charset=utf-8',
        head: csvLine(Object.keys(v1)),
        line: (row) => csvLine(Object.values(write(row)).map(cell)),
      }
    : { type: 'application/x-ndjson', head: '', line: (row) => `${JSON.stringify(write(row))}\n` };
};
