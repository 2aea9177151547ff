import type { DynamoContext } from '#shared/platform/data/client.ts';
import { Counters } from '#shared/platform/data/counters.ts';
import type { Outbox } from '#shared/platform/data/outbox.ts';
import { PresignedDownloads } from '#shared/platform/data/presigned-downloads.ts';
import { Store } from '#shared/platform/data/store.ts';
import { type ResourceName, type Rows, resources } from './index.ts';
import { tables } from './tables.ts';

export type Collections = { readonly [Name in ResourceName]: Store<Rows[Name]> };

/** The stores of one account. */
export interface Stores extends Collections {
  readonly counters: Counters;
  readonly downloads: PresignedDownloads;
  readonly outbox: Outbox;
}

const NAMES = Object.keys(resources) as ResourceName[];

export const stores = (context: DynamoContext, account: string): Stores => {
  const store = (name: ResourceName) => new Store(context, { ...tables[name], name }, account);
  return {
    // A cast: `Object.fromEntries` loses the row type of each store.
    ...(Object.fromEntries(NAMES.map((name) => [name, store(name)])) as unknown as Collections),
    counters: new Counters(account),
    // A cast: only the Lambdas that use events have it.
    outbox: context.feed?.createOutbox(context, account) as Outbox,
    downloads: new PresignedDownloads(context.bucket, account),
  };
};
