import type { Entity, VersionedId } from '#shared/platform/entity.ts';

declare const requested: unique symbol;
/** The name of a stored attribute that a client's `fields` needs. Which attribute it is, no type can tell. */
export type RequestedAttribute = string & { readonly [requested]: true };

/** The attributes that a read can name. */
export type Attribute<T extends Entity> = (keyof T & string) | RequestedAttribute;

/** A member of which some attributes were read: the types promise those that were named, its id and its version. */
export type Projected<T extends Entity, K extends string> = Pick<T, keyof VersionedId | Extract<K, keyof T>>;

/** Conditions on a collection's indexed attributes, all of which hold of every row returned. */
export type Filter = Readonly<Record<string, string | number>>;

/** Ids from `from` on, below `before`; empty when `before` is not above `from`. */
export interface IdRange {
  readonly from: number;
  readonly before: number;
}

interface RowSelection<K extends string> {
  readonly filter: Filter;
  /** The ids that rows may have; any without it. */
  readonly range?: IdRange | undefined;
  readonly order: 'ascending' | 'descending';
  /** The stored attributes to read besides id and version; all without it. */
  readonly attributes?: readonly K[] | undefined;
}

/** Up to `limit` rows after the row `after`, which need not exist any more. */
export interface CursorRequest<K extends string = RequestedAttribute> extends RowSelection<K> {
  readonly style: 'cursor';
  readonly limit: number;
  readonly after: number | undefined;
}

/** Rows `(page − 1) × per_page` and on. */
export interface OffsetRequest<K extends string = RequestedAttribute> extends RowSelection<K> {
  readonly style: 'offset';
  readonly page: number;
  readonly per_page: number;
}

export type PageRequest<K extends string = RequestedAttribute> = CursorRequest<K> | OffsetRequest<K>;

export type Page<T> = { readonly rows: readonly T[] } & (
  | { readonly has_more: boolean }
  | { readonly total_count: number }
);
