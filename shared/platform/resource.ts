import * as v from 'valibot';
import type { MergePatch } from '#shared/platform/entity.ts';
import { type Body, body } from './wire/body.ts';
import { FIRST, type Field, type Fields, LAST, type MoneyField, type Row, valueFor } from './wire/field.ts';
import { toMoneyFields } from './wire/money.ts';
import type { CrossFieldCheck } from './wire/schema.ts';
import type { Version } from './wire/version.ts';

/** The entry of a resource in the list of resources. Every Lambda loads the whole list, so it holds no schema. */
export interface ResourceEntry {
  /** The name of its table and of its store. */
  readonly table: string;
  /** The environment variable that holds the deployed table's name. */
  readonly variable: string;
  /** The first segment of its paths: `order-lines`. */
  readonly collection: string;
  /** One member, in words: `order line`. */
  readonly noun: string;
  /** What its scopes begin with: `orders` for `orders:read` and `orders:write`. Several resources may share one. */
  readonly scope: string;
  /** The fields that its list, and an export of it, can be filtered by (CONTRACT §4): each combination has an index. */
  readonly filters: readonly string[];
  /** The attribute by which its rows are found when they are due. */
  readonly due?: string;
  /** Whether its rows can be exported. */
  readonly isExported?: true;
}

/** A related resource that `expand` embeds (§4 Partial responses 2). */
export interface Relation {
  /** What it means to a client: its description in the OpenAPI document. */
  readonly meaning: string;
  readonly via: string;
  readonly resource: Resource;
}

/** A resource as clients see it, in every version. */
export interface Resource<New = unknown, Replacement = New> extends ResourceEntry {
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  readonly create: Body<New>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

type Options = Partial<Pick<Resource, 'relations'>> & {
  /** The fields of v2, where they are not those of v1 with money objects. */
  readonly v2?: Fields;
  /** What a body's members must fulfil together. */
  readonly together?: CrossFieldCheck;
};

/** The v1 fields of a resource but for those that every resource has; the name of an amount ends with `_cents`. */
type Declared<New> = Fields & { readonly [K in keyof New]: Field<New[K]> } & {
  readonly [amount: `${string}_cents`]: MoneyField;
};

/**
 * Declares a resource by its v1 fields, in their documented order; v2 and the three bodies follow from them.
 * @typeParam New what a client writes, by its v1 names
 * @typeParam Replacement what a PUT may leave out of it
 */
export const resource = <New, Replacement = New>(
  entry: ResourceEntry,
  declared: Declared<New>,
  { relations = {}, v2 = toMoneyFields(declared), together }: Options = {},
): Resource<New, Replacement> => {
  const fields = { v1: { ...FIRST, ...declared, ...LAST }, v2: { ...FIRST, ...v2, ...LAST } };
  return {
    ...entry,
    fields,
    relations,
    create: body(fields, 'create', together),
    replace: body(fields, 'replace', together),
    patch: body(fields, 'patch', together),
  };
};

/** The stored attributes that the named fields are made of (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

const checkValue = (name: string, { schema }: Field, value: unknown): unknown => {
  if (!v.is(schema, value)) throw new TypeError(`The stored value of ${name} does not fit its schema.`);
  return sortMembers(value);
};

/**
 * The wire form of a stored row: the named fields, or all, in documented order.
 * @throws TypeError when a value does not fit its own schema
 */
export const serialize = (fields: Fields, row: Row, names?: readonly string[]): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!names || names.includes(name)) result[name] = checkValue(name, field, valueFor(name, field, row));
  }
  return result;
};

/** One field of many rows in its wire form: the value that fitted last fits again, and many rows hold the same. */
const fieldSerializer = (name: string, field: Field): ((row: Row) => unknown) => {
  let fitted: unknown = Number.NaN;
  return (row) => {
    const value = valueFor(name, field, row);
    if (value === fitted && typeof value !== 'object') return value;
    const form = checkValue(name, field, value);
    fitted = value;
    return form;
  };
};

/**
 * What writes many rows, one after the other: the wire form of all fields of each, as {@link serialize} has it.
 * @throws TypeError when a value does not fit its own schema
 */
export const createSerializer = (fields: Fields): ((row: Row) => Record<string, unknown>) => {
  const columns = Object.entries(fields).map(([name, field]) => [name, fieldSerializer(name, field)] as const);
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const [name, read] of columns) result[name] = read(row);
    return result;
  };
};

/** DynamoDB's maps have no order, and one strong tag stands for one sequence of bytes: members go by their names. */
const sortMembers = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
