import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import {
  type CompletedFile,
  commitJob,
  complete,
  failAttempt,
  findJob,
  HEARTBEAT_MS,
  type JobStores,
  release,
  renew,
  restart,
  retryPauseMs,
  saveCheckpoint,
} from './job.ts';
import { type Checkpoint, type Export, isUnfinished } from './rules.ts';

/** Another attempt has claimed the job, or the job has ended, so this attempt must not change it any more. */
export class LeaseLostError extends Error {}

/** Commits the changes of one attempt in order. A change rejects with {@link LeaseLostError} when the job is lost. */
export class Lease {
  readonly #message: QueueMessage;
  readonly #stores: JobStores;
  readonly #lossController = new AbortController();
  /** Aborts with {@link LeaseLostError} when a commit shows that this attempt has lost the job. */
  readonly signal = this.#lossController.signal;
  #job: Export;
  #isRestarted = false;
  /** Whether the outcome of a commit is unknown, so that the row may contain its change. */
  #isUncertain = false;
  #lastCommit: Promise<void> = Promise.resolve();

  /** @param job as this attempt has claimed it */
  constructor(job: Export, message: QueueMessage, stores: JobStores) {
    this.#job = job;
    this.#message = message;
    this.#stores = stores;
  }

  get job(): Export {
    return this.#job;
  }

  saveCheckpoint(checkpoint: Checkpoint): Promise<void> {
    return this.#commit((job, at) => saveCheckpoint(job, checkpoint, at, this.#isRestarted));
  }

  restart(): Promise<void> {
    this.#isRestarted = true;
    return this.#commit(restart);
  }

  async release(checkpoint: Checkpoint): Promise<void> {
    await this.#commit((job, at) => release(job, checkpoint, at));
    await this.#sendAgain(0);
  }

  complete(file: CompletedFile): Promise<void> {
    return this.#commit((job, at) => complete(job, file, at));
  }

  /** Records the failure of the attempt: another message follows, or the job fails after the last attempt. */
  async fail(): Promise<void> {
    const pauseMs = retryPauseMs(this.#job);
    await this.#commit((job, at) => failAttempt(job, pauseMs, at));
    if (isUnfinished(this.#job)) await this.#sendAgain(pauseMs);
  }

  /** Runs an attempt while a timer renews the lease, because a single call may take longer than the lease. */
  async renewDuring(attempt: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => this.#renew(), HEARTBEAT_MS);
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
    this.#commit(renew).catch((error) => {
      if (!this.signal.aborted) report('the lease was not renewed', { ...body, error });
    });
  }

  #commit(change: (job: Export, at: string) => Export): Promise<void> {
    const nextCommit = this.#lastCommit.then(async () => {
      if (await this.#tryCommit(change)) return;
      if (this.#isUncertain && (await this.#readAgain()) && (await this.#tryCommit(change))) return;
      this.#lossController.abort(new LeaseLostError());
      throw this.signal.reason;
    });
    this.#lastCommit = nextCommit.catch(() => {});
    return nextCommit;
  }

  async #tryCommit(change: (job: Export, at: string) => Export): Promise<boolean> {
    const after = change(this.#job, this.#message.now());
    if (after === this.#job) return true;
    const isDone = await commitJob(this.#message, this.#stores, this.#job, after).catch((error) => {
      this.#isUncertain = true;
      throw error;
    });
    if (isDone) [this.#job, this.#isUncertain] = [after, false];
    return isDone;
  }

  /** @returns whether the stored job belongs to this attempt: it still has the number of the attempt, and a lease */
  async #readAgain(): Promise<boolean> {
    const stored = await findJob(this.#stores, this.#job.id);
    if (stored?.attempt !== this.#job.attempt || stored.lease_until === 0) return false;
    [this.#job, this.#isUncertain] = [stored, false];
    return true;
  }
}
