import { setTimeout as sleep } from 'node:timers/promises';

/** The read units of a partition in a second. */
export const PARTITION_READ_UNITS = 3000;

/** The share of a partition that its background readers use. An account's requests need the rest (CONTRACT §9). */
const SHARE = 1 / 2;

/** The read units of a full page of a query: 1 MB, strongly consistent. */
const PAGE_UNITS = 256;

/** Limit of one pause, so that a reader can check its time and its lease during a longer wait. */
const MAX_PAUSE_MS = 4000;
const FIRST_BACKOFF_MS = 200;

/** The time after which a reader counts the readers of its partition again. */
const COUNT_MS = 5000;

/** How far a reader can fall behind its pace and catch up. A lone reader begins with it: a small file needs no pause. */
const CREDIT_MS = 1000;

/** Returns the number of readers that share the background units of a partition. */
export type CountReaders = () => Promise<number>;

/**
 * Tells a background reader when it may request a page. Each reader of a partition waits until its part of the
 * background units has paid for its last page, and longer after a page that DynamoDB refused.
 */
export class Pace {
  readonly #unitsPerMs: number;
  readonly #countReaders: CountReaders;
  readonly #stopController = new AbortController();
  #readers = 0;
  #countedAt = 0;
  /** When the requested pages are paid for. */
  #paidAt = 0;
  #refusals = 0;

  constructor(partitionUnits = PARTITION_READ_UNITS, countReaders: CountReaders = async () => 1) {
    this.#unitsPerMs = (partitionUnits * SHARE) / 1000;
    this.#countReaders = countReaders;
  }

  /**
   * Waits until the reader may request a page.
   * @returns false when the reader must wait longer
   */
  async turn(): Promise<boolean> {
    await this.#count();
    const now = performance.now();
    this.#paidAt = Math.max(this.#paidAt, now - CREDIT_MS);
    const backoff = this.#refusals && Math.random() * FIRST_BACKOFF_MS * 2 ** this.#refusals;
    const pause = Math.max(this.#paidAt - now, Math.min(backoff, MAX_PAUSE_MS));
    const { signal } = this.#stopController;
    if (pause > 0) await sleep(Math.min(pause, MAX_PAUSE_MS), undefined, { signal });
    return pause <= MAX_PAUSE_MS;
  }

  used(units: number): void {
    this.#refusals = 0;
    this.#paidAt += this.#timeOf(units);
  }

  refused(): void {
    this.#refusals += 1;
  }

  /** Ends a pause; the turn rejects. */
  stop(): void {
    this.#stopController.abort();
  }

  async #count(): Promise<void> {
    const isFirst = this.#readers === 0;
    if (!isFirst && performance.now() - this.#countedAt < COUNT_MS) return;
    this.#readers = Math.max(1, await this.#countReaders());
    this.#countedAt = performance.now();
    // Readers that start at the same time must not request their first pages at the same time.
    if (isFirst && this.#readers > 1) this.#paidAt = this.#countedAt + Math.random() * this.#timeOf(PAGE_UNITS);
  }

  #timeOf(units: number): number {
    return (units * this.#readers) / this.#unitsPerMs;
  }
}
