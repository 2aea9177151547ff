import * as v from 'valibot';
import { EXPORTED_RESOURCES, exportedResource } from '#shared/invoicing/exported-resources.ts';
import {
  EXPORT_FORMATS,
  EXPORT_STATUSES,
  type ExportTerms,
  hasFile,
  type Export as Stored,
} from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, resources } from '#shared/invoicing/index.ts';
import { type ResourceEntry, resource, serves } from '#shared/platform/declarations/resource.ts';
import { isObject } from '#shared/platform/entity.ts';
import {
  derivedFrom,
  type Field,
  type Fields,
  optional,
  readOnly,
  requestSchema,
  required,
} from '#shared/platform/wire/field.ts';
import {
  type CrossFieldRule,
  conditional,
  type Entries,
  Failure,
  integer,
  type JsonObject,
  nullable,
  object,
  oneOf,
  type Schema,
  TimeBound,
  Timestamp,
  TimestampText,
  text,
} from '#shared/platform/wire/schema.ts';
import {
  MAX_COMBINATIONS,
  orSeveral,
  splitValues,
  TOO_MANY_COMBINATIONS,
} from '#shared/platform/wire/several-values.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { describeUnknown, issue } from '#shared/platform/wire/violation.ts';

/** Filters of every type, by creation time. */
const times = (schema: Schema<string>): Entries => ({
  created_from: v.exactOptional(schema),
  created_before: v.exactOptional(schema),
});
const TIMES = Object.keys(times(TimeBound));
const NULL = issue('invalid-type', 'must not be null');

const filtersOf = ({ filters, unexportedFilters = [] }: ResourceEntry): string[] =>
  filters.filter((name) => !unexportedFilters.includes(name));

/** The fields that filter an export of some type. */
const FILTERED: Fields = Object.fromEntries(
  Object.values(EXPORTED_RESOURCES).flatMap((exported) =>
    filtersOf(exported).map((name) => [name, exported.fields.v1[name] as Field]),
  ),
);

const filterOf = (schemaOf: (field: Field) => Schema<unknown>, time: Schema<string>) => {
  const values = Object.entries(FILTERED).map(([name, field]) => [
    name,
    v.exactOptional(orSeveral(v.nonNullable(schemaOf(field), NULL))),
  ]);
  return object({ ...Object.fromEntries(values), ...times(time) }) as Schema<ExportTerms['filter']>;
};

const membersOf = (type: string): string[] => [...filtersOf(exportedResource(type)), ...TIMES];

/** Redocly reports the other members as unknown unless they are permitted explicitly. */
const withMember = (name: string, schema: JsonObject): JsonObject => ({
  properties: { [name]: schema },
  additionalProperties: true,
});

/** A filter of another type is an error: an export that ignored the filter would contain every row. */
const filterOfType: CrossFieldRule = {
  check: ({ type, filter }) => {
    if (typeof type !== 'string' || !Object.hasOwn(EXPORTED_RESOURCES, type) || !isObject(filter)) return [];
    const names = membersOf(type);
    const foreign = Object.keys(filter).filter((name) => Object.hasOwn(FILTERED, name) && !names.includes(name));
    if (foreign.length > 0)
      return foreign.map((name, i) => ({
        path: ['filter', name],
        message: issue('unknown-field', describeUnknown(names, i)),
      }));
    const entry = exportedResource(type);
    const given = filtersOf(entry).filter((name) => Object.hasOwn(filter, name));
    const last = given.at(-1);
    if (!last) return [];
    const violate = (code: string, detail: string) => [{ path: ['filter', last], message: issue(code, detail) }];
    if (!serves(entry, given)) return violate('not-allowed', 'no index has these filters');
    const counts = given.map(
      (name) => splitValues(FILTERED[name]?.schema as Schema<unknown>, String(filter[name])).length,
    );
    const { code, detail } = TOO_MANY_COMBINATIONS;
    return counts.reduce((product, count) => product * count) > MAX_COMBINATIONS ? violate(code, detail) : [];
  },
  keywords: EXPORT_TYPES.reduceRight<JsonObject>(
    (others, type) =>
      conditional(
        withMember('type', { const: type }),
        withMember('filter', { propertyNames: { enum: membersOf(type) } }),
        others,
      ),
    {},
  ),
};

const count = integer(0, Number.MAX_SAFE_INTEGER);

const FILTER =
  'The rows to export. Accepts the filters of the corresponding list, including `created_from` (inclusive) and ' +
  '`created_before` (exclusive), which a response shows in UTC. Several values of a filter are one text, with commas between them.';

const fieldsOf = (version: Version) =>
  ({
    type: required(oneOf('ExportType', EXPORT_TYPES), 'The collection to export.'),
    format: required(
      oneOf('ExportFormat', EXPORT_FORMATS),
      '`csv` (RFC 4180, with a header row) or `jsonl` (one JSON object per line).',
    ),
    filter: optional(
      filterOf(({ schema }) => schema, TimestampText),
      {},
      FILTER,
      { accepts: filterOf(requestSchema, TimeBound) },
    ),
    status: readOnly(
      oneOf('ExportStatus', EXPORT_STATUSES),
      'First `pending`, then `running`, and finally `completed`, `failed` or `canceled`.',
    ),
    row_count: readOnly(count, 'The number of rows written to the file.'),
    size_bytes: readOnly(count, 'The size of the file, in bytes.'),
    sha256: readOnly(
      nullable(text()),
      'The SHA-256 of the file, in hexadecimal, to verify a download. Null until the export is completed.',
    ),
    file_url: derivedFrom<Stored>()(
      nullable(text()),
      ['id', 'status'],
      ({ id, status }) => (hasFile({ status }) ? `/${version}/exports/${id}/file` : null),
      'The path that redirects to the file. Null until the export is completed.',
    ),
    error: readOnly(nullable(Failure), 'Why the export failed, or null.'),
    started_at: readOnly(nullable(Timestamp), 'When a worker first started the export, or null.'),
    completed_at: readOnly(nullable(Timestamp), 'When the export was completed, or null.'),
    expires_at: readOnly(nullable(Timestamp), 'When the file is deleted, or null.'),
  }) satisfies Fields;

export const Export = resource<ExportTerms>(resources.exports, fieldsOf('v1'), {
  v2: fieldsOf('v2'),
  crossFieldRule: filterOfType,
});
