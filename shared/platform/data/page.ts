/** Conditions on a collection's indexed attributes, all of which hold of every row returned. */
export type Filter = Readonly<Record<string, string | number>>;

/** Ids from `from` on, below `before`; empty when `before` is not above `from`. */
export interface IdRange {
  readonly from: number;
  readonly before: number;
}

interface Selection {
  readonly filter: Filter;
  /** The ids that rows may have; any without it. */
  readonly range?: IdRange | undefined;
  readonly order: 'ascending' | 'descending';
  /** The stored attributes to read; all without it. */
  readonly attributes?: readonly string[] | undefined;
}

/** Up to `limit` rows after the row `after`, which need not exist any more. */
export interface CursorRequest extends Selection {
  readonly style: 'cursor';
  readonly limit: number;
  readonly after: number | undefined;
}

/** Rows `(page − 1) × per_page` and on. */
export interface OffsetRequest extends Selection {
  readonly style: 'offset';
  readonly page: number;
  readonly per_page: number;
}

export type PageRequest = CursorRequest | OffsetRequest;

export type Page<T> = { readonly rows: readonly T[] } & (
  | { readonly has_more: boolean }
  | { readonly total_count: number }
);
