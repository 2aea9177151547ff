import type { Entity } from './entity.ts';
import type { CrossAccountQueries } from './store/cross-account-queries.ts';
import type { Store } from './store/store.ts';
import type { WorkerStores } from './worker.ts';

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
  /** Actions on the page index of an indexed resource (CONTRACT §5). */
  readonly pages?: readonly Action[];
  /** Actions on the page index, only with `list`: a page by number needs the index, a page by cursor does not. */
  readonly numberedPages?: readonly Action[];
  /** Actions on the index of all accounts' due rows. */
  readonly due?: readonly Action[];
  /** The table that it scans. */
  readonly scans?: keyof WorkerStores;
  /** Actions on the files of the accounts, and on their bucket. */
  readonly objects?: readonly string[];
  readonly bucket?: readonly string[];
  /** Its writes become events (CONTRACT §14). */
  readonly changes?: true;
  readonly creates?: true;
  /** It checks the fields that it writes. */
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
  list: { table: ['Query', 'BatchGetItem'], indexes: ['Query'], numberedPages: ['Query', 'UpdateItem'] },
  count: { indexes: ['Query'] },
  rows: { table: ['Query'] },
  insert: { table: ['PutItem'], changes: true, creates: true, checks: true },
  append: { table: ['PutItem'] },
  replace: { table: ['UpdateItem'], changes: true, checks: true },
  checkVersion: { table: ['UpdateItem', 'ConditionCheckItem'], changes: true, checks: true },
  check: { table: ['ConditionCheckItem'] },
  remove: { table: ['DeleteItem'], pages: ['UpdateItem'], changes: true },
  move: { table: ['UpdateItem'], checks: true },
  moveCount: { table: ['UpdateItem'], misses: true },
  pageIndex: { pages: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'] },
};

type AllStores = WorkerStores & { readonly across: CrossAccountQueries };
type OtherName = {
  [Name in keyof AllStores]: AllStores[Name] extends { readonly pageIndex: unknown } ? never : Name;
}[keyof AllStores];

/** S3 returns 404 for a missing object only to roles that may list the bucket. Other roles get 403. */
const READ_OBJECT = { objects: ['GetObject'], bucket: ['ListBucket'] } as const;
const WRITE_OBJECT = { objects: ['PutObject'] } as const;

const OTHER_METHODS: { readonly [Name in OtherName]: MethodsOf<AllStores[Name]> } = {
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

/** Whether one of these methods of a resource's store has this effect. */
export const hasMethodThat = (methods: readonly string[], meaning: keyof Method): boolean =>
  methods.some((name) => STORE_METHODS[name as keyof typeof STORE_METHODS]?.[meaning]);

export const READ_ACTIONS: readonly Action[] = ['GetItem', 'BatchGetItem', 'Query'];

/** Whether a handler with these stores reads resources before it decides. */
export const readsState = ({ uses }: { readonly uses: object }): boolean =>
  Object.values(uses)
    .flat()
    .some((name) =>
      STORE_METHODS[name as keyof typeof STORE_METHODS]?.table?.some((action) => READ_ACTIONS.includes(action)),
    );

/** The declarations of the methods of a store in `uses`. */
export const methodsOf = ({ uses }: { readonly uses: object }, store: string): Method[] => {
  const declared: Readonly<Record<string, Method>> = OTHER_METHODS[store as OtherName] ?? STORE_METHODS;
  const names: readonly string[] = Reflect.get(uses, store) ?? [];
  return names.map((name) => declared[name] as Method);
};
