import type { Write } from '#shared/platform/commit/write.ts';
import type { Files } from '#shared/platform/files/files.ts';
import type { Product } from '#shared/platform/product.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';

export type WorkerStores = Product['stores'] & {
  readonly files: Files;
};

/** The stores and methods that a worker uses; its grants derive from them. */
export type Uses = { readonly [N in keyof WorkerStores]?: readonly (keyof WorkerStores[N] & string)[] } & {
  /** Only for a scheduled worker. */
  readonly across?: readonly (keyof CrossAccountQueries)[];
};

export type StoresOf<U extends Uses> = {
  readonly [N in keyof U & keyof WorkerStores]: Pick<
    WorkerStores[N],
    NonNullable<U[N]>[number] & keyof WorkerStores[N]
  >;
};

export interface WorkerContext {
  readonly settings: Product['settings'];
  readonly now: () => string;
  readonly newId: () => number;
  /** Time until the function's timeout, in milliseconds. */
  readonly remaining: () => number;
  /** Aborted when the local process stops; Lambda has no such signal. */
  readonly stop?: AbortSignal | undefined;
  /**
   * @param decide called again for other ids when a new id is taken
   * @returns false when the condition of a write failed, so none was applied
   */
  readonly commit: (decide: () => readonly Write[]) => Promise<boolean>;
  /** Sends a message to a queue of `sendsTo`, which hides it for `delayMs`. */
  readonly send: (queue: Product['queue'], message: Product['message'], delayMs?: number) => Promise<void>;
  /** Logs an event; a warning when `fields` contain an `error`. */
  readonly report: (message: string, fields: object) => void;
  readonly count: Telemetry['count'];
}

export interface QueueMessage<M extends Product['message'] = Product['message']> extends WorkerContext {
  readonly body: M;
  /** Time until the message is delivered again if the worker throws. */
  readonly retryDelayMs: number;
  /** Sends the message again, to its own queue, which hides it for `delayMs`. */
  readonly sendAgain: (delayMs: number) => Promise<void>;
}

interface Common {
  readonly uses: Uses;
  readonly sendsTo?: readonly Product['queue'][];
  /** The function's timeout. */
  readonly seconds: number;
  readonly memory_mb: number;
  readonly node_options?: string;
}

/** A worker of a queue. A message is delivered again when the worker throws. */
export interface Consumer<S = WorkerStores, M extends Product['message'] = Product['message']> extends Common {
  readonly trigger: {
    readonly queue: Product['queue'];
    readonly batch: number;
    readonly concurrency: number;
  };
  /** @throws Error for an invalid body; after all deliveries it moves to the dead-letter queue */
  parse(body: string): M;
  handle(message: QueueMessage<M>, stores: S): Promise<void>;
}

/**
 * A worker for the accounts whose rows were inserted into a table. Its invocation may be lost, so a scheduled worker
 * does the same work.
 */
export interface StreamWorker<S = WorkerStores> extends Common {
  readonly trigger: { readonly insertsInto: Product['table'] };
  handle(context: WorkerContext, stores: S, account: string): Promise<void>;
}

/** The stores of any account, and queries across all accounts. */
export interface Accounts<S = WorkerStores, A = CrossAccountQueries> {
  readonly storesOf: (account: string) => S;
  readonly across: A;
}

export type AccountsOf<U extends Uses> = Accounts<
  StoresOf<U>,
  Pick<CrossAccountQueries, U['across'] extends readonly (infer M extends keyof CrossAccountQueries)[] ? M : never>
>;

export interface ScheduledWorker<A = Accounts> extends Common {
  readonly trigger: { readonly minutes: number };
  handle(context: WorkerContext, accounts: A): Promise<void>;
}

export type Worker = Consumer | ScheduledWorker | StreamWorker;

type Using<U extends Uses> = { readonly uses: U };

/** Declares a worker of a queue; its Lambda, its grants and its trigger derive from the declaration. */
export const consumer = <const U extends Uses, M extends Product['message']>(
  worker: Consumer<StoresOf<U>, M> & Using<U>,
): Consumer<WorkerStores, M> => worker;

export const scheduledWorker = <const U extends Uses>(
  worker: ScheduledWorker<AccountsOf<U>> & Using<U>,
): ScheduledWorker => worker;

export const streamWorker = <const U extends Uses>(worker: StreamWorker<StoresOf<U>> & Using<U>): StreamWorker =>
  worker;

export const isStreamWorker = (worker: Worker): worker is StreamWorker => 'insertsInto' in worker.trigger;
export const isConsumer = (worker: Worker): worker is Consumer => 'queue' in worker.trigger;
