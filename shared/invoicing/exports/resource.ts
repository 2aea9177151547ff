import * as v from 'valibot';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import {
  EXPORT_FORMATS,
  EXPORT_STATUSES,
  type ExportTerms,
  type Export as Stored,
} from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, type ExportType, resources } from '#shared/invoicing/index.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { type Resource, resource } from '#shared/platform/resource.ts';
import { derived, type Fields, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import {
  type CrossFieldCheck,
  type Entries,
  integer,
  isObject,
  nullable,
  object,
  oneOf,
  type Schema,
  Timestamp,
  text,
} from '#shared/platform/wire/schema.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { describeUnknown, issue } from '#shared/platform/wire/violation.ts';

/** What each type of export is a file of; its lines are the v1 form, whichever version asked (CONTRACT §9). */
export const EXPORTED: Readonly<Record<ExportType, Resource>> = {
  customers: Customer,
  invoices: Invoice,
  payments: Payment,
  refunds: Refund,
};

/** When a row was created: a file of any type can be limited to a time. */
const TIMES: Entries = { created_from: v.exactOptional(Timestamp), created_before: v.exactOptional(Timestamp) };
const NULL = issue('invalid-type', 'must not be null');

const values: Entries = Object.fromEntries(
  Object.values(EXPORTED).flatMap(({ filters, fields }) =>
    filters.map((name) => [name, v.exactOptional(v.nonNullable(fields.v1[name]?.schema as Schema<unknown>, NULL))]),
  ),
);

/** A misspelt filter must never export everything, nor one that is another type's. */
const checkFilterOfType: CrossFieldCheck = ({ type, filter }) => {
  if (typeof type !== 'string' || !Object.hasOwn(EXPORTED, type) || !isObject(filter)) return [];
  const { filters } = EXPORTED[type as ExportType];
  const names = [...filters, ...Object.keys(TIMES)];
  const astray = Object.keys(filter).filter((name) => Object.hasOwn(values, name) && !filters.includes(name));
  return astray.map((name, i) => ({
    path: ['filter', name],
    message: issue('unknown-field', describeUnknown(names, i)),
  }));
};

const MOST = Number.MAX_SAFE_INTEGER;
const count = integer(0, MOST);

const FILTER =
  'Which rows: the filters of the collection’s list, and `created_from` (inclusive) and `created_before` (exclusive).';

const fieldsOf = (version: Version) =>
  ({
    type: required(oneOf(EXPORT_TYPES), 'Which collection is exported.'),
    format: required(oneOf(EXPORT_FORMATS), '`csv` (RFC 4180, with a header row) or `jsonl` (one JSON object a line).'),
    filter: optional(object({ ...values, ...TIMES }) as Schema<ExportTerms['filter']>, {}, FILTER),
    status: readOnly(oneOf(EXPORT_STATUSES), '`pending`, then `running`, then `completed`, `failed` or `canceled`.'),
    row_count: readOnly(count, 'How many rows the file has.'),
    size_bytes: readOnly(count, 'How large the file is.'),
    sha256: readOnly(nullable(text()), 'The SHA-256 of the file, to check a download with.'),
    file_url: derived<Stored, 'id' | 'status', string | null>(
      nullable(text()),
      ['id', 'status'],
      ({ id, status }) => (status === 'completed' ? `/${version}/exports/${id}/file` : null),
      'The path of the file’s endpoint; null until the export is completed.',
    ),
    error: readOnly(nullable(object({ code: text(), detail: text() })), 'Why it failed, or null.'),
    started_at: readOnly(nullable(Timestamp), 'When a worker first took it up, or null.'),
    completed_at: readOnly(nullable(Timestamp), 'When it was completed, or null.'),
    expires_at: readOnly(nullable(Timestamp), 'Until when the file can be had, or null.'),
  }) satisfies Fields;

export const Export = resource<ExportTerms>(resources.exports, fieldsOf('v1'), {
  v2: fieldsOf('v2'),
  crossFieldCheck: checkFilterOfType,
});
