import type { CallOptions } from './attempt.ts';
import type { CursorPage, Listing, OffsetPage } from './listing.ts';

/** The types of a collection, from the generated types. */
export interface Shape {
  readonly member: object;
  readonly create?: object;
  readonly update?: object;
  readonly replace?: object;
  readonly delete?: true;
  /** The verbs below a member. */
  readonly actions?: object;
  /** The names of the collections that also are lists below a member. */
  readonly lists?: string;
  /** The relations that can be embedded in a member. */
  readonly expand: object;
  /** The names of the relations that can be embedded in the rows of a list. */
  readonly listExpand: string;
  readonly filter: unknown;
  /** The orders of the list. */
  readonly sort: string;
  /** Whether the list also has offset pagination. */
  readonly offset: boolean;
}

/** A list below a member has no filters: the path selects its rows. */
export interface Below<S extends Shape> extends Pick<Shape, 'filter'> {
  readonly member: S['member'];
  readonly expand: S['expand'];
  readonly listExpand: S['listExpand'];
  readonly sort: 'id' | '-id';
  readonly offset: S['offset'];
}

export interface Selection<S extends Shape, Expand = keyof S['expand']> {
  readonly fields?: readonly (keyof S['member'])[] | undefined;
  readonly expand?: readonly Expand[] | undefined;
}

/** A resource with the fields and relations that a query selects. */
export type Row<S extends Shape, Q> = (Q extends { readonly fields: readonly (infer F)[] }
  ? Pick<S['member'], F & keyof S['member']>
  : S['member']) &
  (Q extends { readonly expand: readonly (infer E)[] } ? Pick<S['expand'], E & keyof S['expand']> : unknown);

interface Sorted<S extends Shape> {
  /** Default: `id`, by creation time. `-id` returns the newest first. */
  readonly sort?: S['sort'] | undefined;
}

interface ByCursor {
  readonly after?: string | undefined;
  /** The page size: 1 to 100, default 20. */
  readonly limit?: number | undefined;
  readonly page?: never;
  readonly per_page?: never;
}

interface ByNumber {
  readonly page: number;
  /** The page size: 1 to 100, default 20. */
  readonly per_page?: number | undefined;
  readonly after?: never;
  readonly limit?: never;
}

export type ListQuery<S extends Shape> = S['filter'] &
  Sorted<S> &
  Selection<S, S['listExpand']> &
  (S['offset'] extends true ? ByCursor | ByNumber : ByCursor);

export type PageOf<S extends Shape, Q> = Q extends { readonly page: number }
  ? OffsetPage<Row<S, Q>>
  : CursorPage<Row<S, Q>>;

/** A resource with its ETag. */
export interface Tagged<T> {
  readonly data: T;
  /** For `ifMatch`. */
  readonly etag: string;
}

export interface DryRunOptions extends CallOptions {
  /** Performs every check and returns the result, but changes nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface CreateOptions extends DryRunOptions {
  /** For retries from another process, for example a UUID. Default: a new key for each call. */
  readonly idempotencyKey?: string | undefined;
}

export interface WriteOptions extends DryRunOptions {
  /** If the resource has another ETag, the call rejects with `precondition-failed` (412). */
  readonly ifMatch?: string | undefined;
}

export interface Readable<S extends Shape> {
  /** Rows, pages, or the first page. Sends no request before it is read. */
  list(): Listing<S['member'], CursorPage<S['member']>>;
  list<const Q extends ListQuery<S>>(query: Q, options?: CallOptions): Listing<Row<S, Q>, PageOf<S, Q>>;
  get<const Q extends Selection<S>>(id: number, query?: Q, options?: CallOptions): Promise<Row<S, Q>>;
  /** Reads the whole resource with its ETag. */
  read(id: number, options?: CallOptions): Promise<Tagged<S['member']>>;
}

export interface Creatable<S extends Shape> {
  /** Creates one resource, even if the request must be sent several times. */
  create<const O extends CreateOptions>(body: S['create'], options?: O): Promise<Created<S, O>>;
}

/** A dry run creates no resource, so the id is null, except in the replay of a key. */
export type Created<S extends Shape, O> = O extends { readonly dryRun: true }
  ? Omit<S['member'], 'id'> & { readonly id: O extends { readonly idempotencyKey: string } ? number | null : null }
  : S['member'];

/** The method of a verb below a member, such as `cancel`. */
export type Action<A> = A extends { readonly body: infer Body; readonly returns: infer Result }
  ? (id: number, body: Body, options?: CreateOptions & WriteOptions) => Promise<Result>
  : A extends { readonly returns: infer Result }
    ? (id: number, options?: CreateOptions & WriteOptions) => Promise<Result>
    : never;

type Change<S extends Shape> = NonNullable<S['update']>;

export interface Patchable<S extends Shape> {
  /**
   * Changes only these fields (JSON merge patch, RFC 7396), once, even if the request must be sent several times. Null
   * clears a nullable field.
   */
  patch(id: number, change: Change<S>, options?: CreateOptions & WriteOptions): Promise<S['member']>;
  /**
   * Reads the resource, writes the change with `If-Match`, and starts again if the resource has changed meanwhile.
   * @param change a merge patch, or a function that returns a patch for the current state; undefined changes nothing
   */
  update(
    id: number,
    change: Change<S> | ((current: S['member']) => Change<S> | undefined | Promise<Change<S> | undefined>),
    options?: DryRunOptions,
  ): Promise<S['member']>;
}

export interface Replaceable<S extends Shape> {
  /** Replaces all writable fields. A missing field gets its default. */
  replace(id: number, body: NonNullable<S['replace']>, options?: WriteOptions): Promise<S['member']>;
}

export interface Deletable {
  delete(id: number, options?: WriteOptions): Promise<void>;
}
