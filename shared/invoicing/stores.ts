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

type Creators<S> = { readonly [Name in keyof S]: (context: DynamoContext, account: string) => S[Name] };

const createStoreOf = (name: ResourceName) => (context: DynamoContext, account: string) =>
  new Store(context, tables[name], account);

const CREATORS: Creators<Stores> = {
  // The cast restores the row type of each store, which `Object.fromEntries` loses.
  ...(Object.fromEntries(
    Object.values(resources).map(({ table }) => [table, createStoreOf(table)]),
  ) as unknown as Creators<Collections>),
  counters: (_, account) => new Counters(account),
  outbox: (context, account) => new Outbox(context, account, createCommit(context)),
  downloads: ({ bucket }, account) => new PresignedDownloads(bucket, account),
};

/** @param uses the names of the stores that the function creates for an account; all by default */
export const createStores = (context: DynamoContext, uses: object = CREATORS): ((account: string) => Stores) => {
  const creators = Object.entries(CREATORS).filter(([name]) => name in uses);
  return (account) =>
    Object.fromEntries(creators.map(([name, create]) => [name, create(context, account)])) as unknown as Stores;
};
