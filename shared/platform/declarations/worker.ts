import type { Write } from '#shared/platform/commit/write.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import type { Message, QueueName, Settings, TableName } from '#shared/vocabulary.ts';
import type { Selected, StoresByName, Uses } from './store-methods.ts';

export interface WorkerContext {
  readonly settings: Settings;
  readonly now: () => string;
  readonly newId: () => number;
  /** Time until the function's timeout, in milliseconds. */
  readonly remaining: () => number;
  /** Aborted when the local process stops; Lambda has no such signal. */
  readonly stop?: AbortSignal | undefined;
  /**
   * @param decide called again for other ids when a new id is taken
   * @returns false when the condition of a write failed, so that no write was applied
   */
  readonly commit: (decide: () => readonly Write[]) => Promise<boolean>;
  /** Sends a message to a queue of `sendsTo`, which hides it for `delayMs`. */
  readonly send: (queue: QueueName, message: Message, delayMs?: number) => Promise<void>;
  /** Logs an event; a warning when `fields` contain an `error`. */
  readonly report: (message: string, fields: object) => void;
  readonly count: Telemetry['count'];
}

export interface QueueMessage<M extends Message = Message> extends WorkerContext {
  readonly body: M;
  /** Sends the message again, to its own queue, which hides it for `delayMs`. */
  readonly sendAgain: (delayMs: number) => Promise<void>;
}

interface Common {
  readonly uses: Uses;
  readonly selectsBy?: Selected;
  readonly sendsTo?: readonly QueueName[];
  /** The function's timeout. */
  readonly seconds: number;
  readonly memory_mb: number;
  readonly node_options?: string;
}

/** A worker of a queue. A message is delivered again when the worker throws. */
export interface Consumer<S = StoresByName, M extends Message = Message> extends Common {
  readonly trigger: {
    readonly queue: QueueName;
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
export interface StreamWorker<S = StoresByName> extends Common {
  readonly trigger: { readonly insertsInto: TableName };
  handle(context: WorkerContext, stores: S, account: string): Promise<void>;
}

/** The stores of any account, and queries across all accounts. */
export interface Accounts<S = StoresByName, A = CrossAccountQueries> {
  readonly storesOf: (account: string) => S;
  readonly across: A;
}

export interface ScheduledWorker<A = Accounts> extends Common {
  readonly trigger: { readonly minutes: number };
  handle(context: WorkerContext, accounts: A): Promise<void>;
}

export type Worker = Consumer | ScheduledWorker | StreamWorker;

export const isStreamWorker = (worker: Worker): worker is StreamWorker => 'insertsInto' in worker.trigger;
export const isConsumer = (worker: Worker): worker is Consumer => 'queue' in worker.trigger;
