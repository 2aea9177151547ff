import type { QueueMessage } from '#shared/platform/worker.ts';
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
} from './state.ts';

/** Another attempt has claimed the job, or the job has ended: what this attempt does must not count any more. */
export class LeaseLostError extends Error {}

type Commit<T> = (before: T, after: T) => Promise<boolean>;

/**
 * A job that one attempt holds. Its changes are committed one after the other, each at the version of the last. Each
 * rejects with {@link LeaseLostError} when the job is no longer this attempt's.
 */
export class Lease<T extends JobState> {
  readonly #lifecycle: JobLifecycle<T>;
  readonly #message: QueueMessage;
  readonly #commit: Commit<T>;
  readonly #lost = new AbortController();
  #row: T;
  #latest: Promise<void> = Promise.resolve();

  /** @param row the job as it was claimed */
  constructor(lifecycle: JobLifecycle<T>, row: T, message: QueueMessage, commit: Commit<T>) {
    this.#lifecycle = lifecycle;
    this.#row = row;
    this.#message = message;
    this.#commit = commit;
  }

  /** The job as this attempt last committed it. */
  get job(): T {
    return this.#row;
  }

  /** Aborted with {@link LeaseLostError} once a commit has shown that the job is no longer this attempt's. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  progress(own: OwnFields<T>): Promise<void> {
    return this.#advance((row, at) => progressed(this.#lifecycle, row, own, at));
  }

  restart(own: OwnFields<T>): Promise<void> {
    return this.#advance((row, at) => restarted(this.#lifecycle, row, own, at));
  }

  /** Leaves the job to the next attempt, and sends the message for it. */
  async release(own: OwnFields<T>): Promise<void> {
    await this.#advance((row, at) => released(this.#lifecycle, row, own, at));
    const { send, body, report } = this.#message;
    // The reconciler sends another one.
    await send(body).catch((error) => report('no message for the next attempt', { ...body, error }));
  }

  /** @param ownAt the job's own fields, from the time of its end */
  end(ownAt: (at: string) => OwnFields<T>): Promise<void> {
    return this.#advance((row, at) => ended(row, ownAt(at), at));
  }

  /** Gives the attempt up: the message comes again, or the job fails after the last attempt. */
  async fail(): Promise<void> {
    const { retryDelayMs, body, report } = this.#message;
    const failed = this.#advance((row, at) => attemptFailed(this.#lifecycle, row, retryDelayMs, at));
    await failed.catch((error) => report('the attempt cannot be given up', { ...body, error }));
  }

  /** Runs an attempt while a timer renews the lease, so that no single call can outlast it. */
  async renewDuring(attempt: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => this.#renew(), heartbeatMs(this.#lifecycle));
    try {
      await attempt();
    } finally {
      clearInterval(timer);
      await this.#latest;
    }
  }

  #renew(): void {
    const { body, report } = this.#message;
    this.#advance((row, at) => heartbeat(this.#lifecycle, row, at)).catch((error) => {
      if (!this.signal.aborted) report('the lease could not be renewed', { ...body, error });
    });
  }

  #advance(change: (row: T, at: string) => T): Promise<void> {
    const advanced = this.#latest.then(async () => {
      const after = change(this.#row, this.#message.now());
      if (!(await this.#commit(this.#row, after))) {
        this.#lost.abort(new LeaseLostError());
        throw this.signal.reason;
      }
      this.#row = after;
    });
    this.#latest = advanced.catch(() => {});
    return advanced;
  }
}
