import { createCommit } from '#shared/platform/commit/commit.ts';
import type { OtherStores } from '#shared/platform/declarations/store-methods.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Outbox } from '#shared/platform/events/outbox.ts';
import { PresignedDownloads } from '#shared/platform/files/presigned-downloads.ts';
import { Counters } from '#shared/platform/store/counters.ts';
import type { Removable } from '#shared/platform/store/page.ts';
import { Store } from '#shared/platform/store/store.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import { type IndexedName, type Rows, resources } from './index.ts';
import { tables } from './tables.ts';

export type Collections = {
  readonly [Name in ResourceName]: Name extends IndexedName ? Store<Rows[Name], Removable> : Store<Rows[Name]>;
};

/** The stores of one account. */
export type WorkerStores = Collections & OtherStores;
export type Stores = Omit<WorkerStores, 'files'>;

type OtherName = Exclude<keyof Stores, ResourceName>;

/** The stores that no resource has. */
const OTHERS: { readonly [Name in OtherName]: (context: DynamoContext, account: string) => Stores[Name] } = {
  counters: (_, account) => new Counters(account),
  outbox: (context, account) => new Outbox(context, account, createCommit(context)),
  downloads: ({ bucket }, account) => new PresignedDownloads(bucket, account),
};

const ALL = { ...resources, ...OTHERS };

/** @param uses the names of the stores that the function creates for an account; all by default */
export const createStores = (context: DynamoContext, uses: object = ALL): ((account: string) => Stores) => {
  const names = Object.keys(ALL).filter((name) => name in uses);
  return (account) => {
    const stores = names.map((name) => {
      const other = OTHERS[name as OtherName]?.(context, account);
      return [name, other ?? new Store(context, tables[name as ResourceName], account)];
    });
    return Object.fromEntries(stores);
  };
};
