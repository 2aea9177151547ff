import * as v from 'valibot';
import type { EventDeclaration } from '#shared/platform/commit/change.ts';
import type { CheckRow } from '#shared/platform/dynamodb/client.ts';
import type { Attributes } from '#shared/platform/dynamodb/expression.ts';
import type { ListOrder } from '#shared/platform/dynamodb/table.ts';
import type { MergePatch } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Body, type BodyParts, body } from '#shared/platform/wire/body.ts';
import {
  attributesOf,
  FIRST,
  type Field,
  type Fields,
  LAST,
  type MoneyField,
  readsOf,
  valueFor,
} from '#shared/platform/wire/field.ts';
import { toMoneyFields } from '#shared/platform/wire/money.ts';
import type { CrossFieldRule } from '#shared/platform/wire/schema.ts';
import type { Version } from '#shared/platform/wire/version.ts';

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
  /** The combinations of filters that its list and exports accept (CONTRACT §4): each one has an index. */
  readonly indexes: readonly (readonly string[])[];
  /** Combinations whose index rows are written to, but which no list accepts before the backfill (docs/deploy.md). */
  readonly unreadIndexes?: readonly (readonly string[])[];
  /** The filters in `indexes`. */
  readonly filters: readonly string[];
  /** The dates that its list can be sorted by (CONTRACT §4); each has an index. */
  readonly sorts?: readonly Sort[];
  /** The order in which only a worker reads its rows; it has an index. */
  readonly queue?: ListOrder;
  /** See `Table.due`. */
  readonly due?: string;
  /** See `Table.expiry`. */
  readonly expiry?: string;
  readonly isExported?: true;
  /** The filters in `indexes` that its exports do not accept. */
  readonly unexportedFilters?: readonly string[];
  /** The fields whose values only one member of an account has (CONTRACT §4). */
  readonly unique?: readonly string[];
  /** The unique fields that its list has as filters, which are strongly consistent. */
  readonly lookups?: readonly string[];
  /** Whether its list has the parameter `ids` (CONTRACT §4, Ids). */
  readonly isReadByIds?: true;
  /**
   * The values of attributes that are newer than stored rows: a read adds the value to a row without the attribute
   * (docs/decisions/0067). For an attribute of `indexes` or `sorts`, `npm run backfill` adds the index keys.
   */
  readonly storedBefore?: Attributes;
  /**
   * Whether any page by number, with the total, costs the same (CONTRACT §5). A transaction that deletes a member then has
   * two more actions.
   */
  readonly isIndexed?: true;
  /** How its changes become events (CONTRACT §14); absent for a resource without events. */
  readonly events?: EventDeclaration;
}

/** Whether an index has the rows that these filters select together. */
export const serves = ({ indexes }: Pick<ResourceEntry, 'indexes'>, filters: readonly string[]): boolean =>
  indexes.some((names) => `${[...names].sort()}` === `${[...filters].sort()}`);

/** An order of a list other than by id. The list requires these filters, and accepts no other filters. */
export interface Sort extends ListOrder {
  /** The parameters that bound the date; `before` is exclusive. */
  readonly from: string;
  readonly before: string;
}

/** The singular in texts: `order line`. */
export const nounOf = ({ type }: Pick<ResourceEntry, 'type'>): string => type.replaceAll('_', ' ');

/** A related resource that `expand` embeds (§4 Partial responses 2). */
export interface Relation {
  readonly meaning: string;
  /** The attribute with the related resource's id; with `parts`, the attribute with the list of their ids. */
  readonly via: string;
  /** With several possible resources, `typeIn` decides. */
  readonly resources: readonly Resource[];
  /** The attribute with the related resource's type. */
  readonly typeIn?: string;
  /** The attribute with a committed version of the related resource. */
  readonly versionIn?: string;
  readonly parts?: Parts;
}

/** Members that POST can create together with their owner, and that only GET of the owner embeds. */
export interface Parts extends Omit<BodyParts, 'fields'> {
  /** The meaning of the list in the body of a creation. */
  readonly meaning: string;
  /** The attributes of the owner that `isOneState` reads. */
  readonly reads: readonly string[];
  /** Whether an owner and its parts, which were read separately, can be one state of the account. */
  readonly isOneState: (owner: never, parts: readonly never[]) => boolean;
}

/** @returns undefined for a type that only a newer deployment knows */
export const relatedTo = ({ resources, typeIn }: Relation, row: object): Resource | undefined =>
  typeIn === undefined ? resources[0] : resources.find(({ type }) => type === Reflect.get(row, typeIn));

/** The attributes that find the related resource of a row. */
export const attributesOfRelation = (relation: Relation | undefined): string[] =>
  [relation?.via, relation?.typeIn, relation?.versionIn, ...(relation?.parts?.reads ?? [])].filter(
    (name) => name !== undefined,
  );

export interface Resource<New = unknown, Replacement = New, Creation = New> extends ResourceEntry {
  readonly fields: Readonly<Record<Version, Fields>>;
  readonly relations: Readonly<Record<string, Relation>>;
  /** @throws InvalidRowError for a value that is not valid in its schema */
  readonly checkRow: CheckRow;
  readonly create: Body<Creation>;
  readonly replace: Body<Replacement>;
  readonly patch: Body<MergePatch<New>>;
}

type ResourceOptions = Partial<Pick<Resource, 'relations'>> & {
  /** The fields of v2; by default the fields of v1, with money objects. */
  readonly v2?: Fields;
  readonly crossFieldRule?: CrossFieldRule;
};

/** The v1 fields without the fields that every resource has. The names of amounts end with `_cents`. */
type Declared<New> = Fields & { readonly [K in keyof New]: Field<New[K]> } & {
  readonly [amount: `${string}_cents`]: MoneyField;
};

/** Declares a resource by its v1 fields in documented order, from which v2 and the three bodies derive. */
export const resource = <New, Replacement = New, Creation = New>(
  entry: ResourceEntry,
  declared: Declared<New>,
  { relations = {}, v2 = toMoneyFields(declared), crossFieldRule }: ResourceOptions = {},
): Resource<New, Replacement, Creation> => {
  const fields = { v1: { ...FIRST, ...declared, ...LAST }, v2: { ...FIRST, ...v2, ...LAST } };
  // The bodies are created at their first use: a function needs at most one, and needs no body of a resource that it
  // only checks or embeds.
  const create = once(() => body<Creation>(fields, 'create', { crossFieldRule, parts: partsOf(relations) }));
  const replace = once(() => body<Replacement>(fields, 'replace', { crossFieldRule }));
  const patch = once(() => body<MergePatch<New>>(fields, 'patch', { crossFieldRule }));
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

const partsOf = (relations: Resource['relations']): Readonly<Record<string, BodyParts>> =>
  Object.fromEntries(
    Object.entries(relations).flatMap(
      ([
        name,
        {
          resources: [part],
          parts,
        },
      ]) => (part && parts ? [[name, { ...parts, fields: part.fields }]] : []),
    ),
  );

const once = <T>(compute: () => T): (() => T) => {
  let computed: T | undefined;
  return () => {
    computed ??= compute();
    return computed;
  };
};

/** A row that must not be written: no state of the account permits it, or it was decided from reads of two states. */
export class InvalidRowError extends TypeError {}

/** Another request has changed a resource between two reads, so the read values are no state of the account. */
export class TornReadError extends ProblemError<'unavailable'> {
  constructor() {
    super('unavailable', { detail: 'Other requests kept changing the resource.' });
  }
}

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
