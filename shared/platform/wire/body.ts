import * as v from 'valibot';
import { type BodyKind, type Field, type Fields, hasFallback, requestSchema } from './field.ts';
import { fromMoney } from './money.ts';
import { type CrossFieldRule, type Entries, object, type Schema } from './schema.ts';
import type { Version } from './version.ts';

/** The schemas of a request body; every version parses to the same domain type. */
export type Body<T> = Readonly<Record<Version, Schema<T>>>;

export const body = <T>(
  fields: Readonly<Record<Version, Fields>>,
  kind: BodyKind,
  crossFieldRule?: CrossFieldRule,
): Body<T> => ({
  v1: bodySchema(fields.v1, kind, crossFieldRule) as Schema<T>,
  v2: v2Schema(fields, kind, crossFieldRule) as Schema<T>,
});

const v2Schema = (
  fields: Readonly<Record<Version, Fields>>,
  kind: BodyKind,
  crossFieldRule?: CrossFieldRule,
): Schema<Record<string, unknown>> =>
  v.pipe(bodySchema(fields.v2, kind, crossFieldRule), v.transform(fromMoney(fields.v1, kind)));

const bodySchema = (
  fields: Fields,
  kind: BodyKind,
  crossFieldRule?: CrossFieldRule,
): Schema<Record<string, unknown>> => {
  const writable: Entries = {};
  const ignored: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.access === 'read-only') ignored.push(name);
    else writable[name] = entrySchema(field, kind);
  }
  return object(writable, ignored, crossFieldRule);
};

const entrySchema = (field: Field, kind: BodyKind): v.GenericSchema => {
  const accepts = requestSchema(field);
  if (kind === 'patch') return v.exactOptional(field.onPatch ?? accepts);
  const schema = kind === 'create' ? (field.onCreate ?? accepts) : accepts;
  if (field.access === 'required') return schema;
  return hasFallback(field, kind) ? v.optional(schema, () => field.fallback) : v.exactOptional(schema);
};
