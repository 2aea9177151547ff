import { BEAT_MS, renewed } from '#shared/invoicing/exports/job.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import type { Delivery } from '#shared/platform/worker.ts';
import { commitJob, type Jobs } from './commit-job.ts';

/** Another attempt has claimed the job, or it was canceled: nothing that this attempt does may count any more. */
export class Lost extends Error {}

/** A job in the hands of one attempt. Its changes are committed one after the other, each at the version of the last. */
export class Lease {
  readonly #work: Delivery;
  readonly #jobs: Jobs;
  readonly #lost = new AbortController();
  #job: Export;
  #latest: Promise<void> = Promise.resolve();

  constructor(job: Export, work: Delivery, jobs: Jobs) {
    this.#job = job;
    this.#work = work;
    this.#jobs = jobs;
  }

  /** The job as this attempt last committed it. */
  get job(): Export {
    return this.#job;
  }

  /** Aborted with {@link Lost} once a commit has shown that the job is no longer this attempt's. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** @throws Lost when the job is no longer this attempt's */
  advance(change: (job: Export, at: string) => Export): Promise<void> {
    const advanced = this.#latest.then(() => this.#commit(change));
    this.#latest = advanced.catch(() => {});
    return advanced;
  }

  /** Runs an attempt while a timer renews the lease, so that no single call can outlast it. */
  async during(attempt: () => Promise<void>): Promise<void> {
    const timer = setInterval(() => this.#renew(), BEAT_MS);
    try {
      await attempt();
    } finally {
      clearInterval(timer);
      await this.#latest;
    }
  }

  #renew(): void {
    const { message, report } = this.#work;
    this.advance(renewed).catch((error) => {
      if (!this.signal.aborted) report('the lease could not be renewed', { ...message, error });
    });
  }

  async #commit(change: (job: Export, at: string) => Export): Promise<void> {
    const after = change(this.#job, this.#work.now());
    if (!(await commitJob(this.#work, this.#jobs, this.#job, after))) {
      this.#lost.abort(new Lost());
      throw this.signal.reason;
    }
    this.#job = after;
  }
}
