import type { CallOptions } from './attempt.ts';
import type { CursorPage, Listing, OffsetPage } from './listing.ts';

/** What a collection takes and gives, as the generated types tell it. */
export interface Shape {
  readonly member: object;
  readonly create?: object;
  readonly update?: object;
  readonly replace?: object;
  /** The names of the relations that can be embedded. */
  readonly expand: string;
  readonly filter: unknown;
  /** Whether it has pages by number, too. */
  readonly offset: boolean;
}

/** A resource without what only `expand` adds. */
export type Whole<S extends Shape> = Omit<S['member'], S['expand']>;

/** Which part of a resource is wanted, and what with it. */
export interface Selection<S extends Shape> {
  readonly fields?: readonly (keyof Whole<S>)[] | undefined;
  readonly expand?: readonly S['expand'][] | undefined;
}

/** A resource with the fields that a query selects, and the relations that it expands. */
export type Row<S extends Shape, Q> = (Q extends { readonly fields: readonly (infer F)[] }
  ? Pick<Whole<S>, F & keyof Whole<S>>
  : Whole<S>) &
  (Q extends { readonly expand: readonly (infer E)[] } ? Required<Pick<S['member'], E & keyof S['member']>> : unknown);

interface Sorted {
  /** By id, which is by time of creation; `-id` for the newest first. */
  readonly sort?: 'id' | '-id' | undefined;
}

interface ByCursor {
  readonly after?: string | undefined;
  /** Rows a page: 1 to 100, 20 without it. */
  readonly limit?: number | undefined;
  readonly page?: never;
  readonly per_page?: never;
}

interface ByNumber {
  readonly page: number;
  /** Rows a page: 1 to 100, 20 without it. */
  readonly per_page?: number | undefined;
  readonly after?: never;
  readonly limit?: never;
}

/** Filters, order, selection, and the style of its pages: by cursor, or where the version has it, by number. */
export type ListQuery<S extends Shape> = S['filter'] &
  Sorted &
  Selection<S> &
  (S['offset'] extends true ? ByCursor | ByNumber : ByCursor);

type PageOf<S extends Shape, Q> = Q extends { readonly page: number } ? OffsetPage<Row<S, Q>> : CursorPage<Row<S, Q>>;

/** A resource with the tag of the state that it shows. */
export interface Tagged<T> {
  readonly data: T;
  /** For `ifMatch`. */
  readonly etag: string;
}

export interface CreateOptions extends CallOptions {
  /** A UUID, to make the operation safe to ask for again even from another process; by default a new one a call. */
  readonly idempotencyKey?: string | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Only in the state that this tag names; `precondition-failed` (412) in any other. */
  readonly ifMatch?: string | undefined;
}

export interface Readable<S extends Shape> {
  /** Rows one by one, or page by page; nothing is asked for before it is looked at. */
  list(): Listing<Whole<S>, CursorPage<Whole<S>>>;
  list<const Q extends ListQuery<S>>(query: Q, options?: CallOptions): Listing<Row<S, Q>, PageOf<S, Q>>;
  get<const Q extends Selection<S>>(id: number, query?: Q, options?: CallOptions): Promise<Row<S, Q>>;
  /** With its tag. */
  read(id: number, options?: CallOptions): Promise<Tagged<Whole<S>>>;
}

export interface Creatable<S extends Shape> {
  /** Creates a member, once however often it has to be sent. */
  create(body: S['create'], options?: CreateOptions): Promise<Whole<S>>;
}

export interface Cancelable<S extends Shape> {
  /** Cancels what can still be canceled; one that is canceled stays so. */
  cancel(id: number, options?: CreateOptions & WriteOptions): Promise<Whole<S>>;
}

type Change<S extends Shape> = NonNullable<S['update']>;

export interface Editable<S extends Shape> {
  /** Changes some fields (RFC 7396: null clears one). */
  patch(id: number, change: Change<S>, options?: WriteOptions): Promise<Whole<S>>;
  /** Replaces every field: what is left out takes its default. */
  replace(id: number, body: NonNullable<S['replace']>, options?: WriteOptions): Promise<Whole<S>>;
  /**
   * Changes what nobody else has changed meanwhile: reads, decides, writes with `If-Match`, and begins anew when
   * somebody was faster.
   * @param change what to change, decided on the present state; undefined for nothing
   */
  update(
    id: number,
    change: Change<S> | ((current: Whole<S>) => Change<S> | undefined | Promise<Change<S> | undefined>),
    options?: CallOptions,
  ): Promise<Whole<S>>;
  delete(id: number, options?: WriteOptions): Promise<void>;
}
