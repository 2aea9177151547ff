import * as v from 'valibot';
import type { MergePatch } from '#shared/domain/member.ts';
import { Currency, type Entries, object, type Schema } from './schema.ts';
import type { Version } from './version.ts';

type Row = Readonly<Record<string, unknown>>;

/** One field of a resource in one version: how it is written, and what a client may send for it. */
export interface Field<T = unknown> {
  /** What the field holds in every response; a value that does not fit is a fault, never sent. */
  readonly schema: Schema<T>;
  /** What a client may send, where that is not the same. */
  readonly accepts?: Schema<unknown>;
  /** What a client may send on create, where that is narrower. */
  readonly onCreate?: Schema<unknown>;
  /** What a client may send in a merge patch, where that is not the same. */
  readonly onPatch?: Schema<unknown>;
  readonly access: 'read-only' | 'required' | 'optional';
  /** The value of an optional field left out of a create or a replacement. */
  readonly fallback?: unknown;
  /** Left out of a replacement, the field is the domain's to decide (CONTRACT §4 Success). */
  readonly keeps?: boolean;
  /** The stored attributes that it is made of, by default the one of its name. */
  readonly reads?: readonly string[];
  readonly value?: (row: never) => unknown;
}

type Options = Pick<Field, 'onCreate' | 'onPatch' | 'keeps'>;

export const readOnly = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'read-only' });
export const required = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'required' });
export const optional = <T>(schema: Schema<T>, fallback: T, options: Options = {}): Field<T> => ({
  schema,
  access: 'optional',
  fallback,
  ...options,
});

/** An optional field that has no value of its own when it is left out: the domain decides. */
export const omissible = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'optional' });

/** A read-only field that is computed from stored attributes. */
export const derived = <R, K extends keyof R & string, T>(
  schema: Schema<T>,
  reads: readonly K[],
  value: (row: Pick<R, K>) => T,
): Field<T> => ({ schema, access: 'read-only', reads, value });

export type Fields = Readonly<Record<string, Field>>;

/** A request body in each version, parsed to one domain shape. */
export type Body<T> = Readonly<Record<Version, Schema<T>>>;

/** A related resource that `expand` embeds (§4 Partial responses 2). */
export interface Relation {
  readonly via: string;
  readonly resource: Resource;
}

/** Where an attribute stands that some version writes, and that is another member's to say. */
export interface Loan {
  readonly via: string;
  readonly store: string;
}

/** A resource as clients see it, in every version. */
export interface Resource<New = unknown, Replacement = New> {
  readonly collection: string;
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  /** Attributes that its rows do not hold, by name. */
  readonly borrows: Readonly<Record<string, Loan>>;
  readonly create: Body<New>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

const CENTS = '_cents';
const isAmount = (name: string): boolean => name.endsWith(CENTS);
const moneyName = (name: string): string => (isAmount(name) ? name.slice(0, -CENTS.length) : name);

const held = (name: string, field: Field, row: Row): unknown => (field.value ? field.value(row as never) : row[name]);

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
  const decided = !('fallback' in field) || (operation === 'replace' && field.keeps);
  return decided ? v.exactOptional(schema) : v.optional(schema, () => field.fallback);
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
  { relations = {}, borrows = {} }: Partial<Pick<Resource, 'relations' | 'borrows'>> = {},
): Resource<New, Replacement> => {
  const fields = { v1, v2: inMoney(v1) };
  return {
    collection,
    fields,
    relations,
    borrows,
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

/**
 * Where a rule's field stands in a body of this version (RFC 6901); of an amount, which part. A currency that can be
 * written is the total's.
 */
export const pointerTo = (field: string, version: Version, member = 'amount'): string => {
  if (version === 'v1') return `/${field}`;
  if (field === 'currency') return '/total/currency';
  return isAmount(field) ? `/${moneyName(field)}/${member}` : `/${field}`;
};

/** A problem's own members in this version: in v2 an amount with its currency is a money object, too. */
export const membersIn = (version: Version, { currency, ...members }: Row): Record<string, unknown> => {
  if (version === 'v1') return members;
  const money = (name: string, value: unknown) => (isAmount(name) ? { amount: value, currency } : value);
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [moneyName(name), money(name, value)]));
};
