import * as v from 'valibot';
import type { Field, Fields } from './field.ts';
import { type BodyKind, fromMoney } from './money.ts';
import { type CrossFieldCheck, type Entries, object, type Schema } from './schema.ts';
import type { Version } from './version.ts';

/** A request body in each version, parsed to one domain shape. */
export type Body<T> = Readonly<Record<Version, Schema<T>>>;

const entry = (field: Field, operation: BodyKind): v.GenericSchema => {
  const accepts = field.accepts ?? field.schema;
  if (operation === 'patch') return v.exactOptional(field.onPatch ?? accepts);
  const schema = operation === 'create' ? (field.onCreate ?? accepts) : accepts;
  if (field.access === 'required') return schema;
  const decided = !('fallback' in field) || (operation === 'replace' && field.domainDecidesOnReplace);
  return decided ? v.exactOptional(schema) : v.optional(schema, () => field.fallback);
};

const bodySchema = (
  fields: Fields,
  operation: BodyKind,
  together?: CrossFieldCheck,
): Schema<Record<string, unknown>> => {
  const writable: Entries = {};
  const ignored: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.access === 'read-only') ignored.push(name);
    else writable[name] = entry(field, operation);
  }
  return object(writable, ignored, together);
};

/** The body of an operation: the fields that a client may send, of a new member, a replacement or a patch. */
export const body = <T>(
  fields: Readonly<Record<Version, Fields>>,
  operation: BodyKind,
  together?: CrossFieldCheck,
): Body<T> => ({
  v1: bodySchema(fields.v1, operation, together) as Schema<T>,
  v2: v.pipe(
    bodySchema(fields.v2, operation, together),
    v.transform(fromMoney(fields.v1, operation)),
  ) as unknown as Schema<T>,
});
