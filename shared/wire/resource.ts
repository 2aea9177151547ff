import * as v from 'valibot';
import type { MergePatch } from '#shared/domain/member.ts';
import { type Field, type Fields, held, type Row } from './field.ts';
import { Currency, type Entries, object, type Schema } from './schema.ts';
import type { Version } from './version.ts';

/** A request body in each version, parsed to one domain shape. */
export type Body<T> = Readonly<Record<Version, Schema<T>>>;

/** A related resource that `expand` embeds (§4 Partial responses 2). */
export interface Relation {
  readonly via: string;
  readonly resource: Resource;
}

/** A resource as clients see it, in every version. */
export interface Resource<New = unknown, Replacement = New> {
  readonly collection: string;
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  readonly create: Body<New>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

const CENTS = '_cents';
const isAmount = (name: string): boolean => name.endsWith(CENTS);
const moneyName = (name: string): string => (isAmount(name) ? name.slice(0, -CENTS.length) : name);

const asMoney = (name: string, field: Field): Field => {
  const amount = field.accepts ?? field.schema;
  return {
    ...field,
    schema: object({ amount: field.schema, currency: Currency }),
    accepts: object({ amount, currency: v.exactOptional(Currency) }),
    ...('fallback' in field && { fallback: { amount: field.fallback } }),
    reads: [...(field.reads ?? [name]), 'currency'],
    value: (row: Row) => ({ amount: held(name, field, row), currency: row['currency'] }),
  };
};

/** v2: every `X_cents` with `currency` is one money object `X` (CONTRACT §4 v2). */
const inMoney = (fields: Fields): Fields => {
  const names = Object.keys(fields);
  if (!names.some(isAmount)) return fields;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== 'currency')
      .map(([name, field]) => [moneyName(name), isAmount(name) ? asMoney(name, field) : field]),
  );
};

type Operation = 'create' | 'replace' | 'patch';

const entry = (field: Field, operation: Operation): v.GenericSchema => {
  const accepts = field.accepts ?? field.schema;
  if (operation === 'patch') return v.exactOptional(field.onPatch ?? accepts);
  const schema = operation === 'create' ? (field.onCreate ?? accepts) : accepts;
  if (field.access === 'required') return schema;
  return operation === 'replace' && field.keeps ? v.exactOptional(schema) : v.optional(schema, () => field.fallback);
};

const bodySchema = (fields: Fields, operation: Operation): Schema<Record<string, unknown>> => {
  const writable: Entries = {};
  const ignored: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.access === 'read-only') ignored.push(name);
    else writable[name] = entry(field, operation);
  }
  return object(writable, ignored);
};

type Money = { amount: number; currency?: string };

/** The domain's form of a v2 body: `X_cents` and `currency` again. */
const fromMoney = (v1: Fields, operation: Operation) => (body: Record<string, unknown>) => {
  const terms: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (name in v1) {
      terms[name] = value;
      continue;
    }
    const { amount, currency } = value as Money;
    terms[name + CENTS] = amount;
    const fallback = operation === 'patch' ? undefined : v1['currency']?.fallback;
    if ((currency ?? fallback) !== undefined) terms['currency'] = currency ?? fallback;
  }
  return terms;
};

const body = <T>(fields: Resource['fields'], operation: Operation): Body<T> => ({
  v1: bodySchema(fields.v1, operation) as Schema<T>,
  v2: v.pipe(bodySchema(fields.v2, operation), v.transform(fromMoney(fields.v1, operation))) as unknown as Schema<T>,
});

/**
 * Declares a resource by its v1 fields, in their documented order; v2 and the three bodies follow from them.
 * @typeParam New what a client writes, by its v1 names
 * @typeParam Replacement what a PUT may leave out of it
 */
export const resource = <New, Replacement = New>(
  collection: string,
  v1: Fields & { readonly [K in keyof New]: Field<New[K]> },
  relations: Resource['relations'] = {},
): Resource<New, Replacement> => {
  const fields = { v1, v2: inMoney(v1) };
  return {
    collection,
    fields,
    relations,
    create: body(fields, 'create'),
    replace: body(fields, 'replace'),
    patch: body(fields, 'patch'),
  };
};

/** The stored attributes that the named fields are made of (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

/**
 * The wire form of a stored row: the named fields, or all, in documented order.
 * @throws TypeError when a value does not fit its own schema
 */
export const written = (fields: Fields, row: Row, names?: readonly string[]): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (names && !names.includes(name)) continue;
    const value = held(name, field, row);
    if (!v.is(field.schema, value)) throw new TypeError(`The stored value of ${name} does not fit its schema.`);
    result[name] = inOrder(value);
  }
  return result;
};

/** DynamoDB's maps have no order, and one strong tag stands for one sequence of bytes: members go by their names. */
const inOrder = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Where a rule's field stands in a body of this version (RFC 6901); only an invoice's total has a currency to set. */
export const pointerTo = (field: string, version: Version): string => {
  if (version === 'v1') return `/${field}`;
  if (field === 'currency') return '/total/currency';
  return isAmount(field) ? `/${moneyName(field)}/amount` : `/${field}`;
};
