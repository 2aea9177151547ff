import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import {
  attemptFailed,
  ended,
  heartbeat,
  heartbeatMs,
  type JobLifecycle,
  type JobState,
  type OwnFields,
  progressed,
  released,
  restarted,
  retryPauseMs,
} from './state.ts';

/** Another attempt has claimed the job, or the job has ended, so this attempt must not change it any more. */
export class LeaseLostError extends Error {}

interface StoredJob<T> {
  find(): Promise<T | undefined>;
  commit(before: T, after: T): Promise<boolean>;
}

/** Commits the changes of one attempt in order. A change rejects with {@link LeaseLostError} when the job is lost. */
export class Lease<T extends JobState> {
  readonly #lifecycle: JobLifecycle<T>;
  readonly #message: QueueMessage;
  readonly #stored: StoredJob<T>;
  readonly #lossController = new AbortController();
  #row: T;
  #isRestarted = false;
  /** Whether a change since the last one that succeeded may be stored. */
  #isUncertain = false;
  #lastCommit: Promise<void> = Promise.resolve();

  constructor(lifecycle: JobLifecycle<T>, row: T, message: QueueMessage, stored: StoredJob<T>) {
    this.#lifecycle = lifecycle;
    this.#row = row;
    this.#message = message;
    this.#stored = stored;
  }

  get job(): T {
    return this.#row;
  }

  /** Aborts with {@link LeaseLostError} when a commit shows that this attempt has lost the job. */
  get signal(): AbortSignal {
    return this.#lossController.signal;
  }

  progress(ownFields: OwnFields<T>): Promise<void> {
    return this.#advance((row, at) => progressed(this.#lifecycle, row, ownFields, at, this.#isRestarted));
  }

  restart(ownFields: OwnFields<T>): Promise<void> {
    this.#isRestarted = true;
    return this.#advance((row, at) => restarted(this.#lifecycle, row, ownFields, at));
  }

  async release(ownFields: OwnFields<T>): Promise<void> {
    await this.#advance((row, at) => released(this.#lifecycle, row, ownFields, at));
    await this.#sendAgain(0);
  }

  end(ownFieldsAt: (at: string) => OwnFields<T>): Promise<void> {
    return this.#advance((row, at) => ended(row, ownFieldsAt(at), at));
  }

  /** Records the failure of the attempt: another message follows, or the job fails after the last attempt. */
  async fail(): Promise<void> {
    const pauseMs = retryPauseMs(this.#row);
    await this.#advance((row, at) => attemptFailed(this.#lifecycle, row, pauseMs, at));
    if (!this.#lifecycle.hasEnded(this.#row)) await this.#sendAgain(pauseMs);
  }

  /** Runs an attempt while a timer renews the lease, because a single call may take longer than the lease. */
  async renewDuring(attempt: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => this.#renew(), heartbeatMs(this.#lifecycle));
    try {
      await attempt();
    } finally {
      clearInterval(timer);
      await this.#lastCommit;
    }
  }

  async #sendAgain(pauseMs: number): Promise<void> {
    const { sendAgain, body, report } = this.#message;
    // If sending fails, the reconciler sends a message later.
    await sendAgain(pauseMs).catch((error) =>
      report('the message for the next attempt was not sent', { ...body, error }),
    );
  }

  #renew(): void {
    const { body, report } = this.#message;
    this.#advance((row, at) => heartbeat(this.#lifecycle, row, at)).catch((error) => {
      if (!this.signal.aborted) report('the lease was not renewed', { ...body, error });
    });
  }

  #advance(change: (row: T, at: string) => T): Promise<void> {
    const nextCommit = this.#lastCommit.then(async () => {
      if (await this.#tryCommit(change)) return;
      if (this.#isUncertain && (await this.#readAgain()) && (await this.#tryCommit(change))) return;
      this.#lossController.abort(new LeaseLostError());
      throw this.signal.reason;
    });
    this.#lastCommit = nextCommit.catch(() => {});
    return nextCommit;
  }

  async #tryCommit(change: (row: T, at: string) => T): Promise<boolean> {
    const after = change(this.#row, this.#message.now());
    if (after === this.#row) return true;
    const isDone = await this.#stored.commit(this.#row, after).catch((error) => {
      this.#isUncertain = true;
      throw error;
    });
    if (isDone) [this.#row, this.#isUncertain] = [after, false];
    return isDone;
  }

  /** @returns whether the stored row is of this attempt: no other change leaves its number with a lease */
  async #readAgain(): Promise<boolean> {
    const stored = await this.#stored.find();
    if (stored?.attempt !== this.#row.attempt || stored.lease_until === 0) return false;
    [this.#row, this.#isUncertain] = [stored, false];
    return true;
  }
}
