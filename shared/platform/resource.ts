import * as v from 'valibot';
import type { MergePatch } from '#shared/platform/entity.ts';
import type { EventDeclaration } from './events/change.ts';
import { type Body, body } from './wire/body.ts';
import { FIRST, type Field, type Fields, LAST, type MoneyField, type Row, valueFor } from './wire/field.ts';
import { toMoneyFields } from './wire/money.ts';
import type { CrossFieldRule } from './wire/schema.ts';
import type { Version } from './wire/version.ts';

/** An entry in the list of resources. Every Lambda loads the whole list, so an entry contains no schemas. */
export interface ResourceEntry {
  readonly table: string;
  readonly variable: string;
  /** The first segment of its paths: `order-lines`. */
  readonly collection: string;
  /** One member in names: `order_line`. */
  readonly type: string;
  /** The prefix of its scopes: `orders` for `orders:read` and `orders:write`. Resources may share a prefix. */
  readonly scope: string;
  /** The filters of its list and of exports (CONTRACT §4); each combination has an index. */
  readonly filters: readonly string[];
  /** See `Table.due`. */
  readonly due?: string;
  /** See `Table.expiry`. */
  readonly expiry?: string;
  readonly isExported?: true;
  /**
   * Whether any page by number, with the total, costs the same (CONTRACT §5). A transaction that deletes a member then has
   * two more actions.
   */
  readonly isIndexed?: true;
  /** How its changes become events; absent if they do not (CONTRACT §14). */
  readonly events?: EventDeclaration;
}

/** One member in texts: `order line`. */
export const nounOf = ({ type }: Pick<ResourceEntry, 'type'>): string => type.replaceAll('_', ' ');

/** A related resource that `expand` embeds (§4 Partial responses 2). */
export interface Relation {
  readonly meaning: string;
  /** The attribute with the related resource's id. */
  readonly via: string;
  /** With several possible resources, `typeIn` decides. */
  readonly resources: readonly Resource[];
  /** The attribute with the related resource's type. */
  readonly typeIn?: string;
  /** The attribute with a version of the related resource that is known to be committed. */
  readonly versionIn?: string;
}

export const relatedTo = ({ resources, typeIn }: Relation, row: object): Resource => {
  const type = typeIn === undefined ? undefined : Reflect.get(row, typeIn);
  const related = type === undefined ? resources[0] : resources.find((resource) => resource.type === type);
  if (!related) throw new TypeError(`No related resource has the type ${type}.`);
  return related;
};

/** The attributes that find the related resource of a row. */
export const attributesOfRelation = (relation: Relation | undefined): string[] =>
  [relation?.via, relation?.typeIn, relation?.versionIn].filter((name) => name !== undefined);

export interface Resource<New = unknown, Replacement = New> extends ResourceEntry {
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  readonly create: Body<New>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

type Options = Partial<Pick<Resource, 'relations'>> & {
  /** The fields of v2; by default those of v1 with money objects. */
  readonly v2?: Fields;
  readonly crossFieldRule?: CrossFieldRule;
};

/** The v1 fields without those that every resource has. The names of amounts end with `_cents`. */
type Declared<New> = Fields & { readonly [K in keyof New]: Field<New[K]> } & {
  readonly [amount: `${string}_cents`]: MoneyField;
};

/** Declares a resource by its v1 fields in documented order, from which v2 and the three bodies derive. */
export const resource = <New, Replacement = New>(
  entry: ResourceEntry,
  declared: Declared<New>,
  { relations = {}, v2 = toMoneyFields(declared), crossFieldRule }: Options = {},
): Resource<New, Replacement> => {
  const fields = { v1: { ...FIRST, ...declared, ...LAST }, v2: { ...FIRST, ...v2, ...LAST } };
  return {
    ...entry,
    fields,
    relations,
    create: body(fields, 'create', crossFieldRule),
    replace: body(fields, 'replace', crossFieldRule),
    patch: body(fields, 'patch', crossFieldRule),
  };
};

/** The stored attributes that these fields need (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

/** @throws TypeError for a stored value that is not valid in its schema */
export const serialize = (fields: Fields, row: Row, names?: readonly string[]): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!names || names.includes(name)) result[name] = checkValue(name, field, valueFor(name, field, row));
  }
  return result;
};

/** Like {@link serialize} for all fields, but faster for many rows. */
export const createSerializer = (fields: Fields): ((row: Row) => Record<string, unknown>) => {
  const serializers = Object.entries(fields).map(([name, field]) => [name, fieldSerializer(name, field)] as const);
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const [name, serializeField] of serializers) result[name] = serializeField(row);
    return result;
  };
};

/** Serializes one field of many rows. It checks repeated values once, because many rows have the same value. */
const fieldSerializer = (name: string, field: Field): ((row: Row) => unknown) => {
  let lastValid: unknown = Number.NaN;
  return (row) => {
    const value = valueFor(name, field, row);
    if (value === lastValid && typeof value !== 'object') return value;
    const serialized = checkValue(name, field, value);
    lastValid = value;
    return serialized;
  };
};

const checkValue = (name: string, { schema }: Field, value: unknown): unknown => {
  if (!v.is(schema, value)) throw new TypeError(`The stored value of ${name} is not valid in its schema.`);
  return sortMembers(value);
};

/** Sorts members by name: DynamoDB's maps have no order, but a strong ETag identifies a sequence of bytes. */
const sortMembers = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
