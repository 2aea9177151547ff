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

const NAMES = Object.keys(resources) as ResourceName[];

export const stores = (context: DynamoContext, account: string): Stores => ({
  // The cast restores the row type of each store, which `Object.fromEntries` loses.
  ...(Object.fromEntries(
    NAMES.map((name) => [name, new Store(context, { ...tables[name], name }, account)]),
  ) as unknown as Collections),
  get counters() {
    return new Counters(account);
  },
  get outbox() {
    return new Outbox(context, account, createCommit(context));
  },
  get downloads() {
    return new PresignedDownloads(context.bucket, account);
  },
});
