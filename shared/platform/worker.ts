import type { Across } from '#shared/platform/data/across.ts';
import type { Files } from '#shared/platform/data/files.ts';
import type { Write } from '#shared/platform/data/write.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';

/** What a worker may reach: an account's stores and files, and what is found across accounts. */
export type Places = Product['stores'] & {
  readonly files: Files;
  readonly across: Across;
};

/** The places that a worker may reach, and by which of their methods; its grants derive from it. */
export type Reaches = { readonly [P in keyof Places]?: readonly (keyof Places[P] & string)[] };

/** A place, as far as a worker has said that it uses it. */
export type Reach<U extends Reaches> = {
  readonly [P in keyof U & keyof Places]: Pick<Places[P], NonNullable<U[P]>[number] & keyof Places[P]>;
};

/** What is at hand in any work. */
export interface Work {
  /** The time, RFC 3339. */
  readonly now: () => string;
  /** How long the function may still run, in milliseconds. */
  readonly remaining: () => number;
  /**
   * Applies all writes or none.
   * @returns false when what they were decided on has changed meanwhile
   */
  readonly commit: (writes: readonly Write[]) => Promise<boolean>;
  /** Sends a message to a queue that the worker names, which hides it for so many milliseconds. */
  readonly send: (message: Product['message'], delayMs?: number) => Promise<void>;
  /** Logs what an operator may want to know. */
  readonly report: (what: string, facts: object) => void;
  /** Counts what an operator is to see or be woken by. */
  readonly count: Telemetry['count'];
}

/** A message at work. */
export interface Delivery extends Work {
  readonly message: Product['message'];
  /** When the message comes again if the work fails, in milliseconds. */
  readonly again_ms: number;
}

interface Common<U extends Reaches> {
  readonly uses: U;
  /** The queue that it sends messages to. */
  readonly sends?: Product['queue'];
  /** How long one call of the function may take, in seconds. */
  readonly seconds: number;
  readonly memory_mb: number;
  /** What Node is started with (`NODE_OPTIONS`). */
  readonly node_options?: string;
}

/** A worker that a queue's messages start; one that throws gets the message again. */
export interface Consumer<U extends Reaches = Reaches> extends Common<U> {
  readonly trigger: {
    readonly queue: Product['queue'];
    /** The most messages of one call. */
    readonly batch: number;
    /** The most calls at once. */
    readonly concurrency: number;
  };
  /** @throws Error for a body that is no message of this worker: in the end it is a dead letter */
  parse(body: string): Product['message'];
  /** @param places those of the account that the message names */
  handle(delivery: Delivery, places: Reach<U>): Promise<void>;
}

/** A worker that runs by the clock. */
export interface Chore<U extends Reaches = Reaches> extends Common<U> {
  readonly trigger: { readonly minutes: number };
  handle(work: Work, placesOf: (account: string) => Reach<U>): Promise<void>;
}

export type Worker = Consumer | Chore;

/** Declares a worker of a queue: its Lambda, grants and trigger derive from the value. */
export function consumer<const U extends Reaches>(declaration: Consumer<U>): Consumer;
// The overload erases the type parameter: the table holds workers of every type, and each gets the stores that it declares.
export function consumer(declaration: Consumer): Consumer {
  return declaration;
}

/** Declares a worker that runs on a schedule. */
export function chore<const U extends Reaches>(declaration: Chore<U>): Chore;
export function chore(declaration: Chore): Chore {
  return declaration;
}

export const isConsumer = (worker: Worker): worker is Consumer => 'queue' in worker.trigger;
