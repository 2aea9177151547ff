import type { CrossAccountQueries } from '#shared/platform/data/cross-account-queries.ts';
import type { Files } from '#shared/platform/data/files.ts';
import type { Write } from '#shared/platform/data/write.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';

/** An account's stores and files, and queries across accounts. */
export type WorkerStores = Product['stores'] & {
  readonly files: Files;
  readonly across: CrossAccountQueries;
};

/** The stores that a worker uses, and which of their methods; its grants derive from it. */
export type Uses = { readonly [N in keyof WorkerStores]?: readonly (keyof WorkerStores[N] & string)[] };

/** The stores with the methods that a worker uses. */
export type StoresOf<U extends Uses> = {
  readonly [N in keyof U & keyof WorkerStores]: Pick<
    WorkerStores[N],
    NonNullable<U[N]>[number] & keyof WorkerStores[N]
  >;
};

export interface WorkerContext {
  /** The time, RFC 3339. */
  readonly now: () => string;
  /** How long the function may still run, in milliseconds. */
  readonly remaining: () => number;
  /**
   * Applies all writes or none.
   * @returns false when the condition of one of them failed
   */
  readonly commit: (writes: readonly Write[]) => Promise<boolean>;
  /** Sends a message to the queue that the worker declares, which hides it for so many milliseconds. */
  readonly send: (message: Product['message'], delayMs?: number) => Promise<void>;
  /** Logs an event; with an `error` it is a warning. */
  readonly report: (what: string, facts: object) => void;
  readonly count: Telemetry['count'];
}

/** A message in the hands of a worker. */
export interface QueueMessage<M extends Product['message'] = Product['message']> extends WorkerContext {
  readonly body: M;
  /** When the message comes again if the worker throws, in milliseconds. */
  readonly retryDelayMs: number;
}

interface Common {
  readonly uses: Uses;
  /** The queue that it sends messages to. */
  readonly sendsTo?: Product['queue'];
  /** How long one call of the function may take, in seconds. */
  readonly seconds: number;
  readonly memory_mb: number;
  /** What Node is started with (`NODE_OPTIONS`). */
  readonly node_options?: string;
}

/** A worker that a queue's messages start. A message whose worker throws comes again. */
export interface Consumer<S = WorkerStores, M extends Product['message'] = Product['message']> extends Common {
  readonly trigger: {
    readonly queue: Product['queue'];
    /** The most messages of one call. */
    readonly batch: number;
    /** The most calls at once. */
    readonly concurrency: number;
  };
  /** @throws Error for a body that is no message of this worker: it becomes a dead letter */
  parse(body: string): M;
  /** @param stores of the account that the message names */
  handle(message: QueueMessage<M>, stores: S): Promise<void>;
}

/** A worker that runs by the clock. */
export interface ScheduledWorker<S = WorkerStores> extends Common {
  readonly trigger: { readonly minutes: number };
  handle(context: WorkerContext, storesOf: (account: string) => S): Promise<void>;
}

export type Worker = Consumer | ScheduledWorker;

type Using<U extends Uses> = { readonly uses: U };

/** Declares a worker of a queue; its Lambda, its grants and its trigger derive from the value. */
export const consumer = <const U extends Uses, M extends Product['message']>(
  worker: Consumer<StoresOf<U>, M> & Using<U>,
): Consumer => worker;

/** Declares a worker that runs by the clock. */
export const scheduledWorker = <const U extends Uses>(
  worker: ScheduledWorker<StoresOf<U>> & Using<U>,
): ScheduledWorker => worker;

export const isConsumer = (worker: Worker): worker is Consumer => 'queue' in worker.trigger;
