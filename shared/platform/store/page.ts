import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { LeafRow } from '#shared/platform/store/page-index/leaves.ts';

declare const requested: unique symbol;
/** The name of a stored attribute that the `fields` of a request needs; known only at run time. */
export type RequestedAttribute = string & { readonly [requested]: true };

/** The attributes that a read can name. */
export type Attribute<T extends Entity> = (keyof T & string) | RequestedAttribute;

/** A member with only some attributes: its id, its version and the named attributes. */
export type Projected<T extends Entity, K extends string> = Pick<T, keyof VersionedId | Extract<K, keyof T>>;

/** The place of a member in the page index; undefined if the index is not active. */
export const PLACE = Symbol('place');

/** A member of an indexed resource that was read for its removal. */
export interface Removable {
  readonly [PLACE]: LeafRow | undefined;
}

type Value = string | number;

/** The value that each attribute must have, or the values of which it must have one: distinct and sorted. */
export type Filter = Readonly<Record<string, Value | readonly Value[]>>;

/** A filter with one value of each attribute. */
export type Values = Readonly<Record<string, Value>>;

/** The filters with one value of each attribute that select the same rows together. */
export const combinationsOf = (filter: Filter): readonly Values[] =>
  Object.entries(filter).reduce<readonly Values[]>(
    (all, [name, value]) => all.flatMap((values) => [value].flat().map((each) => ({ ...values, [name]: each }))),
    [{}],
  );

export const matches = (row: object, filter: Filter): boolean =>
  Object.entries(filter).every(([name, value]) => [value].flat().includes(Reflect.get(row, name)));

/** Ids in `from`…`before` − 1; empty unless `before` is above `from`. */
export interface IdRange {
  readonly from: number;
  readonly before: number;
}

/** An order other than by id: by a date, then by id. */
export interface Sorting {
  readonly by: string;
  /** Dates in `from`…`before`, without `before`. */
  readonly from: string | undefined;
  readonly before: string | undefined;
  /** The date of the row that `after` names. */
  readonly after: string | undefined;
}

interface RowSelection<K extends string> {
  readonly range?: IdRange | undefined;
  readonly order: 'ascending' | 'descending';
  /** The stored attributes to read in addition to id and version; all by default. */
  readonly attributes?: readonly K[] | undefined;
}

export interface UniqueValue {
  readonly field: string;
  readonly value: string;
}

/** Up to `limit` rows after the id `after`, whose row may be deleted. */
export interface CursorRequest<K extends string = RequestedAttribute> extends RowSelection<K> {
  readonly style: 'cursor';
  readonly filter: Filter;
  readonly limit: number;
  readonly after: number | undefined;
  readonly sort?: Sorting | undefined;
  /** Only the members with these ids, in one page and without a filter. */
  readonly ids?: readonly number[] | undefined;
  /** Only the member with this value of a unique field, in one page and without a filter. */
  readonly unique?: UniqueValue | undefined;
}

export interface OffsetRequest<K extends string = RequestedAttribute> extends RowSelection<K> {
  readonly style: 'offset';
  readonly filter: Values;
  readonly page: number;
  readonly per_page: number;
}

export type PageRequest<K extends string = RequestedAttribute> = CursorRequest<K> | OffsetRequest<K>;

export type Page<T> = {
  readonly rows: readonly T[];
} /** `position`: the id after which a reader continues when there are no more rows. */ & (
  | { readonly has_more: boolean; readonly position?: number | undefined }
  | { readonly total_count: number }
);
