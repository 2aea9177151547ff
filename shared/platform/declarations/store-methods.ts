import type { ListOrder } from '#shared/platform/dynamodb/table.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { Outbox } from '#shared/platform/events/outbox.ts';
import type { Files } from '#shared/platform/files/files.ts';
import type { PresignedDownloads } from '#shared/platform/files/presigned-downloads.ts';
import type { Counters } from '#shared/platform/store/counters.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** The stores of an account, by name. The product has their types (shared/invoicing/declarations.ts). */
export type StoresByName = Readonly<Record<string, object>>;

/** The methods that a declaration uses, by the names of their stores; its grants derive from them. */
export type Uses = Readonly<Record<string, readonly string[]>>;

export type UsesOf<All> = { readonly [Name in keyof All]?: readonly (keyof All[Name] & string)[] };

/**
 * How a handler or worker itself selects rows of a store: by these filters, in the order of `by`. So its role may query
 * one index; a list of the resource may query every index.
 */
export type Selected<U = Uses> = { readonly [Name in keyof U]?: Pick<ListOrder, 'filters'> & Partial<ListOrder> };

/** The stores of `uses`, each with the methods of its list. */
export type StoresOf<All, U> = {
  readonly [Name in keyof U & keyof All]: Pick<
    All[Name],
    U[Name] extends readonly (infer Method)[] ? Method & keyof All[Name] : never
  >;
};

/** The stores of an account that no resource has. */
export type OtherStores = {
  readonly counters: Counters;
  readonly outbox: Outbox;
  readonly downloads: PresignedDownloads;
  /** For workers. */
  readonly files: Files;
};

type Action =
  | 'BatchGetItem'
  | 'ConditionCheckItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | 'UpdateItem';

/** The DynamoDB and S3 actions that a method needs, and the effects of a call. */
export interface Method {
  /** Actions on the table of its store. A transaction needs only the actions of its items. */
  readonly table?: readonly Action[];
  /** Actions on the indexes of the table. */
  readonly indexes?: readonly Action[];
  /** Actions on the rows whose keys it finds in an index. */
  readonly selected?: readonly Action[];
  /** Actions on the page index of an indexed resource (CONTRACT §5). */
  readonly pages?: readonly Action[];
  /** Actions on the page index of a list of all members: only a page by number needs the index. */
  readonly numberedPages?: readonly Action[];
  /** Actions on the unique values of a resource that has some (CONTRACT §4). */
  readonly unique?: readonly Action[];
  /** Actions on the unique values that the list of a resource has as filters. */
  readonly lookups?: readonly Action[];
  /** Actions on the index of all accounts' due rows. */
  readonly due?: readonly Action[];
  /** The table that the query scans. */
  readonly scans?: TableName;
  /** Actions on the files of the accounts, and on their bucket. */
  readonly objects?: readonly string[];
  readonly bucket?: readonly string[];
  /** The writes of the method become events (CONTRACT §14). */
  readonly changes?: true;
  readonly creates?: true;
  /** The method checks the fields that it writes. */
  readonly checks?: true;
  /** The method throws `not-found` for an id that names no member. */
  readonly misses?: true;
}

type MethodsOf<S> = { readonly [Name in keyof S & string]: Method };

const STORE_METHODS: MethodsOf<Store<Entity>> = {
  get: { table: ['GetItem'], misses: true },
  getForRemoval: { table: ['GetItem'], pages: ['Query'], misses: true },
  getReferenced: { table: ['GetItem'], misses: true },
  find: { table: ['BatchGetItem'] },
  findCommitted: { table: ['GetItem'] },
  // A page by number may ask for sealing.
  list: {
    table: ['Query'],
    indexes: ['Query'],
    selected: ['BatchGetItem'],
    numberedPages: ['Query', 'UpdateItem'],
    lookups: ['GetItem'],
  },
  count: { indexes: ['Query'] },
  rows: { table: ['Query'] },
  insert: { table: ['PutItem'], unique: ['PutItem'], changes: true, creates: true, checks: true },
  append: { table: ['PutItem'] },
  replace: { table: ['UpdateItem'], unique: ['PutItem', 'DeleteItem'], changes: true, checks: true },
  checkVersion: {
    table: ['UpdateItem', 'ConditionCheckItem'],
    unique: ['PutItem', 'DeleteItem'],
    changes: true,
    checks: true,
  },
  check: { table: ['ConditionCheckItem'] },
  remove: { table: ['DeleteItem'], pages: ['UpdateItem'], unique: ['DeleteItem'], changes: true },
  move: { table: ['UpdateItem'], checks: true },
  moveCount: { table: ['UpdateItem'], misses: true },
  pageIndex: { pages: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'] },
};

interface Others extends OtherStores {
  readonly across: CrossAccountQueries;
}

/** S3 returns 404 for a missing object only to roles that may list the bucket. Other roles get 403. */
const READ_OBJECT = { objects: ['GetObject'], bucket: ['ListBucket'] } as const;
const WRITE_OBJECT = { objects: ['PutObject'] } as const;

const OTHER_METHODS: { readonly [Name in keyof Others]: MethodsOf<Others[Name]> } = {
  counters: { increment: { table: ['UpdateItem'] }, decrement: { table: ['UpdateItem'] } },
  outbox: {
    readHead: { table: ['GetItem'] },
    readWaiting: { table: ['GetItem', 'Query'] },
    publish: { table: ['GetItem', 'Query', 'PutItem', 'DeleteItem'] },
  },
  files: {
    put: WRITE_OBJECT,
    read: READ_OBJECT,
    beginUpload: WRITE_OBJECT,
    uploadPart: WRITE_OBJECT,
    completeUpload: { objects: ['PutObject', 'GetObject'], bucket: ['ListBucket'] },
    abortUpload: { objects: ['AbortMultipartUpload'] },
  },
  // A presigned URL has the permissions of the role that signed it.
  downloads: { url: { objects: ['GetObject'] } },
  across: {
    due: { due: ['Query'] },
    waiting: { scans: 'outbox' },
    accounts: { scans: 'webhookEndpoints' },
    uploads: { bucket: ['ListBucketMultipartUploads'] },
  },
};

/** Whether a method of the list has this effect. */
export const hasMethodThat = (methods: readonly string[], meaning: keyof Method): boolean =>
  methods.some((name) => STORE_METHODS[name as keyof typeof STORE_METHODS]?.[meaning]);

export const READ_ACTIONS: readonly Action[] = ['GetItem', 'BatchGetItem', 'Query'];

/** The declarations of the methods of a store in `uses`. */
export const methodsOf = ({ uses }: { readonly uses: Uses }, store: string): Method[] => {
  const declared: Readonly<Record<string, Method>> = OTHER_METHODS[store as keyof Others] ?? STORE_METHODS;
  return (uses[store] ?? []).map((name) => declared[name] as Method);
};
