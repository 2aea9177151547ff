import type { StoresOf as StoresIn, UsesOf } from '#shared/platform/declarations/store-methods.ts';
import type { Accounts, Consumer, ScheduledWorker, StreamWorker } from '#shared/platform/declarations/worker.ts';
import { type DeclareEndpoint, declareEndpoint } from '#shared/platform/http/endpoint.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Message } from '#shared/vocabulary.ts';
import type { Stores, WorkerStores } from './stores.ts';

/* The declarations of the platform, with the types of this product's stores. */

export const endpoint: DeclareEndpoint<Stores> = declareEndpoint;

type Uses = UsesOf<WorkerStores> & {
  /** Only for a scheduled worker. */
  readonly across?: readonly (keyof CrossAccountQueries)[];
};

export type StoresOf<U extends Uses> = StoresIn<WorkerStores, U>;

export type AccountsOf<U extends Uses> = Accounts<
  StoresOf<U>,
  Pick<CrossAccountQueries, U['across'] extends readonly (infer M extends keyof CrossAccountQueries)[] ? M : never>
>;

type Using<U extends Uses> = { readonly uses: U };

/** Declares a worker of a queue; its Lambda, its grants and its trigger derive from the declaration. */
export const consumer = <const U extends Uses, M extends Message>(
  worker: Consumer<StoresOf<U>, M> & Using<U>,
): Consumer<WorkerStores, M> => worker;

export const scheduledWorker = <const U extends Uses>(
  worker: ScheduledWorker<AccountsOf<U>> & Using<U>,
): ScheduledWorker<Accounts<WorkerStores>> => worker;

export const streamWorker = <const U extends Uses>(
  worker: StreamWorker<StoresOf<U>> & Using<U>,
): StreamWorker<WorkerStores> => worker;
