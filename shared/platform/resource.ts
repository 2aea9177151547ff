import * as v from 'valibot';
import type { MergePatch } from '#shared/platform/entity.ts';
import type { EventDeclaration } from './events/change.ts';
import { type Body, body } from './wire/body.ts';
import { FIRST, type Field, type Fields, LAST, type MoneyField, type Row, readsOf, valueFor } from './wire/field.ts';
import { toMoneyFields } from './wire/money.ts';
import type { CrossFieldRule } from './wire/schema.ts';
import type { Version } from './wire/version.ts';

/** An entry in the list of resources. Every Lambda loads the whole list, so an entry contains no schemas. */
export interface ResourceEntry {
  readonly table: string;
  readonly variable: string;
  /** The first segment of its paths: `order-lines`. */
  readonly collection: string;
  /** The singular in names: `order_line`. */
  readonly type: string;
  /** The prefix of its scopes: `orders` for `orders:read` and `orders:write`. Resources may share a prefix. */
  readonly scope: string;
  /** The filters of its list and of exports (CONTRACT §4); each combination has an index. */
  readonly filters: readonly string[];
  /** See `Table.due`. */
  readonly due?: string;
  /** See `Table.held`. */
  readonly held?: string;
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

/** The singular in texts: `order line`. */
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

/** @returns undefined for a type that only a newer deployment knows */
export const relatedTo = ({ resources, typeIn }: Relation, row: object): Resource | undefined =>
  typeIn === undefined ? resources[0] : resources.find(({ type }) => type === Reflect.get(row, typeIn));

/** The attributes that find the related resource of a row. */
export const attributesOfRelation = (relation: Relation | undefined): string[] =>
  [relation?.via, relation?.typeIn, relation?.versionIn].filter((name) => name !== undefined);

export interface Resource<New = unknown, Replacement = New> extends ResourceEntry {
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  /** @throws InvalidRowError for a value that is not valid in its schema */
  readonly checkRow: CheckRow;
  readonly create: Body<New>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

type Options = Partial<Pick<Resource, 'relations'>> & {
  /** The fields of v2; by default those of v1 with money objects. */
  readonly v2?: Fields;
  readonly crossFieldRule?: CrossFieldRule;
};

/** The v1 fields without the fields that every resource has. The names of amounts end with `_cents`. */
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
  // The bodies are created at their first use: a function needs at most one, and needs no body of a resource that it
  // only checks or embeds.
  const create = once(() => body<New>(fields, 'create', crossFieldRule));
  const replace = once(() => body<Replacement>(fields, 'replace', crossFieldRule));
  const patch = once(() => body<MergePatch<New>>(fields, 'patch', crossFieldRule));
  return {
    ...entry,
    fields,
    relations,
    checkRow: createCheck(entry.table, fields),
    get create() {
      return create();
    },
    get replace() {
      return replace();
    },
    get patch() {
      return patch();
    },
  };
};

const once = <T>(compute: () => T): (() => T) => {
  let computed: T | undefined;
  return () => {
    computed ??= compute();
    return computed;
  };
};

/** The stored attributes that these fields need (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

/**
 * Serializes rows: all fields, or the fields with these names. It does not check the values: rows are checked when they
 * are written, and a newer or an older deployment may have written other values.
 */
export const createSerializer = (
  fields: Fields,
  names: readonly string[] = Object.keys(fields),
): ((row: Row) => Record<string, unknown>) => {
  const selected = Object.entries(fields).filter(([name]) => names.includes(name));
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const [name, field] of selected) {
      const value = valueFor(name, field, row);
      result[name] = typeof value === 'object' && !field.value ? sortMembers(value) : value;
    }
    return result;
  };
};

/** Sorts members by name: DynamoDB's maps have no order, but a strong ETag identifies a sequence of bytes. */
const sortMembers = (value: object | null): unknown =>
  value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** A row that must not be written: no state of the account permits it, or it was decided from reads of two states. */
export class InvalidRowError extends TypeError {}

/** Checks a row before it is written: all fields, or the fields that need one of these attributes. */
export type CheckRow = (row: Row, attributes?: readonly string[]) => void;

const createCheck = (table: string, fields: Resource['fields']): CheckRow => {
  const checked = once(() => checkedFields(fields));
  return (row, attributes) => {
    for (const [name, field] of checked()) {
      if (attributes && !readsOf(name, field).some((each) => attributes.includes(each))) continue;
      if (!v.is(field.stored ?? field.schema, valueFor(name, field, row)))
        throw new InvalidRowError(`A value of ${name} for the table ${table} is not valid in its schema.`);
    }
  };
};

/** The fields of v1, and the fields of v2 with an attribute that v1 does not show. */
const checkedFields = ({ v1, v2 }: Resource['fields']): [string, Field][] => {
  const shown = attributesOf(v1, Object.keys(v1));
  const others = Object.entries(v2).filter(([name, field]) =>
    readsOf(name, field).some((each) => !shown.includes(each)),
  );
  return [...Object.entries(v1), ...others];
};
