import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { HEARTBEAT_MS, LEASE_MS } from '#shared/invoicing/exports/job.ts';
import { LeaseLostError } from '#shared/invoicing/exports/lease.ts';
import { cancelExport, type Export } from '#shared/invoicing/exports/rules.ts';
import { CLOCKS } from '#test/support/service/clock.ts';
import { until } from '#test/support/waiting/until.ts';
import { startData } from '#test/unit/platform/engine.ts';
import { checkpoint, complete, type Run, START, storeJob } from './stored-job.ts';

const MINUTE = 60_000;

let job: Awaited<ReturnType<typeof storeJob>>;

const data = await startData();
afterAll(() => data.stop());
beforeEach(async () => {
  // A heartbeat is due only when a test lets its interval pass.
  jest.useFakeTimers({ doNotFake: ['Date', ...CLOCKS.filter((name) => !name.endsWith('Interval'))] });
  job = await storeJob(data, `acct_${randomUUID().slice(0, 8)}`);
});
afterEach(() => {
  jest.useRealTimers();
});

const never: Run = () => {
  throw new Error('The job must not run.');
};
const fails: Run = async () => {
  throw new Error('S3 is down.');
};
/** A worker that is lost during its attempt. */
const dies: Run = async () => {};

const beat = () => jest.advanceTimersByTime(HEARTBEAT_MS);

const beatUntilRenewed = async (): Promise<void> => {
  const { version } = await job.row();
  beat();
  await until(async () => (await job.row()).version !== version);
};

/** Runs an attempt, and returns the error of its last change. */
const errorOf = async (run: Run): Promise<unknown> => {
  let reason: unknown;
  await job.run((lease) =>
    run(lease).catch((error) => {
      reason = error;
      throw error;
    }),
  );
  return reason;
};

describe('a lease [CONTRACT §9]', () => {
  test('an attempt that outlasts its lease: heartbeats renew it, no other worker claims the job, and no reminder is sent', async () => {
    await job.run(async (lease) => {
      for (let beats = 1; beats <= 5; beats++) {
        job.clock += LEASE_MS / 2;
        await beatUntilRenewed();
        expect((await job.row()).lease_until).toBe(START + job.clock + LEASE_MS);
        await job.run(never);
        await job.remind();
      }
      await complete(lease);
    });
    expect(await job.row()).toMatchObject({ status: 'completed', attempt: 1 });
    expect([job.sent, job.reports]).toEqual([[], []]);
  });

  test('a lease that ends before its attempt: the next attempt claims the job, and the first attempt cannot change it', async () => {
    const reason = await errorOf(async (lease) => {
      job.clock = LEASE_MS - 1;
      await job.run(never);
      job.clock = LEASE_MS;
      await job.run(complete);
      await lease.saveCheckpoint(checkpoint(7));
    });
    expect([reason, job.reports]).toEqual([expect.any(LeaseLostError), []]);
    expect(await job.row()).toMatchObject({ status: 'completed', row_count: 0, attempt: 2, tries: 2 });
    expect(await job.unfinished()).toBe(0);
  });

  test('a job that a client cancels: the next heartbeat aborts the signal', async () => {
    let signal: AbortSignal | undefined;
    await job.run(async (lease) => {
      signal = lease.signal;
      await job.change(cancelExport);
      job.clock = LEASE_MS / 2;
      beat();
    });
    expect(signal?.reason).toBeInstanceOf(LeaseLostError);
    expect(await job.row()).toMatchObject({ status: 'canceled', version: 3 });
  });

  test('concurrent changes by the holder: each change is committed at the version of the previous change', async () => {
    await job.run(async (lease) => {
      await Promise.all([1, 2, 3, 4].map((rows) => lease.saveCheckpoint(checkpoint(rows))));
      await lease.restart();
      expect(lease.job).toMatchObject({ row_count: 0, attempt: 2, tries: 0, version: 7, checkpoint: undefined });
      await complete(lease);
    });
    expect(await job.row()).toMatchObject({ status: 'completed', version: 8 });
  });
});

describe('a commit that is stored although its outcome is lost [CONTRACT §9]', () => {
  test('heartbeats and a checkpoint: the attempt keeps the job', async () => {
    await job.run(async (lease) => {
      for (let beats = 1; beats <= 2; beats++) {
        job.clock += LEASE_MS / 2;
        job.lostOutcomes = 1;
        beat();
        // The lost outcome is reported later than the change is stored.
        await until(async () => job.reports.length === beats);
      }
      await lease.saveCheckpoint(checkpoint(1));
      job.lostOutcomes = 1;
      await lease.saveCheckpoint(checkpoint(2)).catch(() => {});
      await complete(lease);
    });
    expect(await job.row()).toMatchObject({ status: 'completed', attempt: 1, version: 7 });
    expect(job.reports).toEqual(Array(2).fill('the lease was not renewed'));
  });

  test('a checkpoint, and then the attempt fails: the failure is stored', async () => {
    await job.run(async (lease) => {
      job.lostOutcomes = 1;
      await lease.saveCheckpoint(checkpoint(1)).catch(() => {});
      // Too early to renew the lease, so nothing is committed.
      beat();
      return fails(lease);
    });
    expect(await job.row()).toMatchObject({ row_count: 1, attempt: 1, lease_until: 0, due_at: START + 90_000 });
  });

  test.each<[string, Run]>([
    ['completion', complete],
    ['release', (lease) => lease.release(checkpoint(1))],
  ])('a %s: the attempt changes nothing more', async (_, last) => {
    let row: Export | undefined;
    await job.run(async (lease) => {
      job.lostOutcomes = 1;
      try {
        await last(lease);
      } finally {
        row = await job.row();
      }
    });
    expect(await job.row()).toEqual(row);
    expect(row).toMatchObject({ lease_until: 0, version: 3 });
  });

  test('a heartbeat, and then another worker claims the job: the first worker has lost it', async () => {
    const reason = await errorOf(async (lease) => {
      job.clock = LEASE_MS / 2;
      job.lostOutcomes = 1;
      await beatUntilRenewed();
      job.clock = 2 * LEASE_MS;
      await job.run(dies);
      await lease.saveCheckpoint(checkpoint(7));
    });
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect(await job.row()).toMatchObject({ row_count: 0, attempt: 2, lease_until: START + 3 * LEASE_MS });
  });
});

test('six releases: the job continues at once after each, and no release counts as a failed attempt [CONTRACT §9]', async () => {
  for (let rows = 1; rows <= 6; rows++) await job.run((lease) => lease.release(checkpoint(rows)));
  expect(job.sent).toEqual(Array(6).fill(0));
  expect(await job.row()).toMatchObject({ row_count: 6, attempt: 6, tries: 0, lease_until: 0 });
});

test('a queue that is down after a release: the reconciler sends the message after the grace period [CONTRACT §9]', async () => {
  job.isQueueDown = true;
  await job.run((lease) => lease.release(checkpoint(1)));
  job.isQueueDown = false;
  expect(job.reports).toEqual(['the message for the next attempt was not sent']);
  job.clock = MINUTE - 1;
  await job.remind();
  expect(job.sent).toEqual([]);
  job.clock = MINUTE;
  await job.remind();
  expect(job.sent).toEqual([0]);
});

describe('an attempt that fails [CONTRACT §9]', () => {
  test('four failed attempts: another message follows after a longer pause each time; after the fifth the job has failed', async () => {
    for (const pause of [30_000, 60_000, 120_000, 240_000]) {
      await job.run(fails);
      expect(await job.row()).toMatchObject({ status: 'running', lease_until: 0, due_at: START + pause + MINUTE });
    }
    await job.run(fails);
    expect([job.sent, job.reports]).toEqual([
      [30_000, 60_000, 120_000, 240_000],
      Array(5).fill('an attempt has failed'),
    ]);
    expect(await job.row()).toMatchObject({ status: 'failed', tries: 5, error: { code: 'attempts-exhausted' } });
    expect(await job.unfinished()).toBe(0);
  });

  test('any number of attempts with progress: not counted; attempts that only write the file again: counted', async () => {
    const progresses: Run = async (lease) => {
      await lease.saveCheckpoint(checkpoint(lease.job.row_count + 1));
      return fails(lease);
    };
    for (let attempts = 1; attempts <= 6; attempts++) {
      await job.run(progresses);
      expect(await job.row()).toMatchObject({ status: 'running', row_count: attempts, tries: 0 });
    }
    const restarts: Run = async (lease) => {
      await lease.restart();
      return progresses(lease);
    };
    for (let attempts = 1; attempts <= 5; attempts++) await job.run(restarts);
    expect(await job.row()).toMatchObject({ status: 'failed', error: { code: 'attempts-exhausted' } });
  });

  test('five attempts whose workers are lost: the next claim fails the job', async () => {
    for (let attempts = 1; attempts <= 5; attempts++) {
      await job.run(dies);
      expect(await job.row()).toMatchObject({ status: 'running', tries: attempts });
      job.clock += LEASE_MS;
    }
    await job.run(never);
    expect(await job.row()).toMatchObject({ status: 'failed', tries: 5, error: { code: 'attempts-exhausted' } });
    expect(job.reports).toEqual([]);
  });
});

describe('the reconciler [CONTRACT §9]', () => {
  test('a job whose message is lost: five reminders at growing intervals, then it fails', async () => {
    const waits: number[] = [];
    for (let reminders = 0; (await job.row()).due_at !== undefined; reminders++) {
      const due = ((await job.row()).due_at as number) - START;
      waits.push((due - job.clock) / MINUTE);
      job.clock = due - 1;
      await job.remind();
      expect([(await job.row()).reminders, job.sent.length]).toEqual([reminders, reminders]);
      job.clock = due;
      await job.remind();
    }
    expect([waits, job.sent.length]).toEqual([[1, 1, 4, 16, 64, 256], 5]);
    expect(await job.row()).toMatchObject({ status: 'failed', error: { code: 'never-started' }, lease_until: 0 });
  });

  test('a job whose worker is lost: a reminder once its lease has ended', async () => {
    await job.run(dies);
    job.clock = LEASE_MS - 1;
    await job.remind();
    expect(job.sent).toEqual([]);
    job.clock = LEASE_MS;
    await job.remind();
    expect(job.sent).toEqual([0]);
    expect(await job.row()).toMatchObject({ lease_until: 0, reminders: 1 });
    await job.run(complete);
    expect(await job.row()).toMatchObject({ status: 'completed', reminders: 0 });
  });
});
