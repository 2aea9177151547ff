import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Lease, LeaseLostError } from '#shared/platform/jobs/lease.ts';
import { remindDue } from '#shared/platform/jobs/reconcile.ts';
import { type JobHandler, runJob } from '#shared/platform/jobs/run-job.ts';
import { heartbeatMs } from '#shared/platform/jobs/state.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import { CLOCKS } from '#test/support/service/clock.ts';
import { until } from '#test/support/waiting/until.ts';
import { startData } from '#test/unit/platform/engine.ts';
import { createDepot, type Parcel, parcel, parcelJob, START } from './parcel.ts';

let depot: ReturnType<typeof createDepot>;
/** Each test's own account. */
let account: string;

const data = await startData();
afterAll(() => data.stop());
beforeEach(() => {
  // A heartbeat is due only when a test lets its interval pass.
  jest.useFakeTimers({ doNotFake: ['Date', ...CLOCKS.filter((name) => !name.endsWith('Interval'))] });
  depot = createDepot(data);
  account = `acct_${randomUUID().slice(0, 8)}`;
});

afterEach(() => {
  jest.useRealTimers();
});

const beat = () => jest.advanceTimersByTime(heartbeatMs(parcelJob));

const put = (id = 1, delayMs = 0) => depot.put(account, parcel(id, delayMs));

type Run = (lease: Lease<Parcel>) => Promise<void>;
const run = (message: ExportMessage, courier: Run): Promise<void> => {
  const handler: JobHandler<Parcel> = { onClaim: () => ({ place: 'van' }), run: courier };
  return runJob(parcelJob, depot.message(message), depot.storesOf(message.account_id), handler);
};

const deliver: Run = (lease) => lease.end(() => ({ place: 'door' }));
const never: Run = () => {
  throw new Error('The job must not run.');
};
const breaksDown: Run = async () => {
  throw new Error('The van broke down.');
};

/** Runs the reconciler and returns the messages to this test's account: other tests leave due jobs behind. */
const remind = async (): Promise<unknown[]> => {
  const context = depot.message({ account_id: account, export_id: 0 });
  await remindDue(parcelJob, context, depot);
  const isOwn = (sent: unknown) => JSON.stringify(sent).includes(account);
  return depot.sent.splice(0).filter(isOwn);
};

describe('a claim', () => {
  test('eight messages for one job: one attempt is made', async () => {
    const message = await put();
    let attempts = 0;
    const counting: Run = (lease) => {
      attempts += 1;
      return deliver(lease);
    };
    await Promise.all(Array.from({ length: 8 }, () => run(message, counting)));
    expect(attempts).toBe(1);
    const { due_at, ...row } = await depot.rowOf(message);
    expect([row, due_at]).toEqual([
      expect.objectContaining({ place: 'door', attempt: 1, tries: 1, version: 3, lease_until: 0 }),
      undefined,
    ]);
    expect([depot.counts, await depot.endsOf(account)]).toEqual([[['ExportsCompleted']], 1]);
  });

  test('a message for no job, for an ended job, for another account’s job: nothing happens', async () => {
    const message = await put();
    await run(message, deliver);
    const ended = await depot.rowOf(message);
    await run(message, never);
    await run({ account_id: account, export_id: 2 }, never);
    await run({ account_id: 'acct_thief', export_id: 1 }, never);
    expect(await depot.rowOf(message)).toEqual(ended);
    expect(depot.reports).toEqual(['the job of a message does not exist', 'the job of a message does not exist']);
  });

  test('a message before the start of the job: it is sent again with the remaining delay', async () => {
    const message = await put(1, 700);
    const before = await depot.rowOf(message);
    await run(message, never);
    expect([await depot.rowOf(message), depot.sent]).toEqual([before, [[message, 700]]]);
    depot.clock = 700;
    await run(message, deliver);
    expect((await depot.rowOf(message)).place).toBe('door');
  });
});

describe('a lease', () => {
  const untilRenewed = (message: ExportMessage, version: number) =>
    until(async () => (await depot.rowOf(message)).version !== version);

  test('an attempt that outlasts its lease: heartbeats renew it, and no other worker claims the job', async () => {
    const message = await put();
    await run(message, async (lease) => {
      for (let beats = 1; beats <= 5; beats++) {
        const { version } = await depot.rowOf(message);
        depot.clock += 40;
        beat();
        await untilRenewed(message, version);
        expect((await depot.rowOf(message)).lease_until).toBe(START + depot.clock + 80);
        await run(message, never);
        expect(await remind()).toEqual([]);
      }
      await deliver(lease);
    });
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', attempt: 1 });
  });

  test('a lease that ends before its attempt: the next attempt claims the job, and the first one cannot change it', async () => {
    const message = await put();
    let reason: unknown;
    const slow: Run = async (lease) => {
      depot.clock = 80;
      await run(message, deliver);
      await lease.progress({ stop: 7 }).catch((error) => {
        reason = error;
        throw error;
      });
    };
    await run(message, slow);
    expect([reason, depot.reports]).toEqual([expect.any(LeaseLostError), []]);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', stop: 0, attempt: 2, tries: 2 });
    expect(depot.counts).toEqual([['ExportsCompleted']]);
  });

  test('a lease that ends before its attempt fails: the failure is not stored, and the message is done', async () => {
    const message = await put();
    await run(message, async (lease) => {
      depot.clock = 80;
      await run(message, deliver);
      return breaksDown(lease);
    });
    expect([depot.reports, depot.sent]).toEqual([['an attempt has failed'], []]);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', attempt: 2, tries: 2 });
  });

  test('heartbeats that are stored, and their outcome is lost: the attempt keeps the job', async () => {
    const message = await put();
    await run(message, async (lease) => {
      for (let beats = 1; beats <= 2; beats++) {
        const { version } = await depot.rowOf(message);
        depot.clock += 40;
        depot.lostOutcomes = 1;
        beat();
        await untilRenewed(message, version);
      }
      await lease.progress({ stop: 1 });
      depot.lostOutcomes = 1;
      await lease.progress({ stop: 2 }).catch(() => {});
      await deliver(lease);
    });
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', stop: 2, attempt: 1, version: 7 });
    expect(depot.reports).toEqual(Array(2).fill('the lease was not renewed'));
  });

  test('a progress that is stored, and its outcome is lost: the failure of the attempt is stored', async () => {
    const message = await put();
    await run(message, async (lease) => {
      depot.lostOutcomes = 1;
      await lease.progress({ stop: 1 }).catch(() => {});
      // Too early to renew the lease, so nothing is committed.
      beat();
      return breaksDown(lease);
    });
    expect(await depot.rowOf(message)).toMatchObject({ stop: 1, attempt: 1, lease_until: 0, due_at: START + 35_000 });
    expect(depot.reports).toEqual(['an attempt has failed']);
  });

  test.each(['end', 'release'] as const)(
    '%s: stored, but its outcome is lost: the attempt changes nothing more',
    async (last) => {
      const message = await put();
      let row: Parcel | undefined;
      await run(message, async (lease) => {
        depot.lostOutcomes = 1;
        try {
          await (last === 'end' ? deliver(lease) : lease.release({ stop: 1 }));
        } finally {
          row = await depot.rowOf(message);
        }
      });
      expect(await depot.rowOf(message)).toEqual(row);
      expect(row).toMatchObject({ lease_until: 0, version: 3 });
    },
  );

  test('a heartbeat whose outcome is lost, and then another worker claims the job: the first one has lost it', async () => {
    const message = await put();
    let reason: unknown;
    await run(message, async (lease) => {
      const { version } = await depot.rowOf(message);
      depot.clock = 40;
      depot.lostOutcomes = 1;
      beat();
      await untilRenewed(message, version);
      depot.clock = 120;
      await run(message, async () => {});
      await lease.progress({ stop: 7 }).catch((error) => {
        reason = error;
        throw error;
      });
    });
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect(await depot.rowOf(message)).toMatchObject({ stop: 0, attempt: 2, lease_until: START + 200 });
  });

  test('a job that another transaction ends: the next heartbeat aborts the signal', async () => {
    const message = await put();
    await run(message, async (lease) => {
      const row = await depot.rowOf(message);
      const gone = { ...row, version: row.version + 1, due_at: undefined, lease_until: 0 };
      await data.commit(...depot.storesOf(account).parcels.replace(row, gone));
      depot.clock = 40;
      const aborted = new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
      beat();
      await aborted;
      lease.signal.throwIfAborted();
    });
    expect(await depot.rowOf(message)).toMatchObject({ place: 'van', version: 3 });
  });

  test('concurrent changes by the holder: each is committed at the version of the one before', async () => {
    const message = await put();
    await run(message, async (lease) => {
      await Promise.all([1, 2, 3, 4].map((stop) => lease.progress({ stop })));
      await lease.restart({ stop: 0 });
      expect(lease.job).toMatchObject({ stop: 0, attempt: 2, tries: 0, version: 7 });
      await deliver(lease);
    });
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', version: 8 });
  });
});

describe('a release', () => {
  test('the next attempt continues, and the attempts before it do not count against the limit', async () => {
    const message = await put();
    for (let stop = 1; stop <= 4; stop++) await run(message, (lease) => lease.release({ stop }));
    expect(await depot.endsOf(account)).toBe(0);
    expect(depot.sent).toEqual(Array(4).fill([message, 0]));
    expect(await depot.rowOf(message)).toMatchObject({ stop: 4, attempt: 4, tries: 0, lease_until: 0 });
    await run(message, deliver);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', stop: 4 });
  });

  test('a queue that is down: the attempt succeeds, and the reconciler sends the message after the grace period', async () => {
    const message = await put();
    depot.isQueueDown = true;
    await run(message, (lease) => lease.release({ stop: 1 }));
    depot.isQueueDown = false;
    expect(depot.reports).toEqual(['the message for the next attempt was not sent']);
    depot.clock = 4999;
    expect(await remind()).toEqual([]);
    depot.clock = 5000;
    expect(await remind()).toEqual([[message]]);
  });
});

describe('an attempt that fails', () => {
  test('another message follows, and the job fails with a reason after the last attempt', async () => {
    const message = await put();
    await run(message, breaksDown);
    expect(await depot.rowOf(message)).toMatchObject({
      place: 'van',
      tries: 1,
      lease_until: 0,
      due_at: START + 35_000,
    });
    await run(message, breaksDown);
    expect([depot.sent, depot.reports]).toEqual([[[message, 30_000]], Array(2).fill('an attempt has failed')]);
    const failed = await depot.rowOf(message);
    expect(failed).toMatchObject({ place: 'lost', reason: 'attempts-exhausted' });
    expect([failed.due_at, depot.counts, await depot.endsOf(account)]).toEqual([undefined, [['ExportsFailed']], 1]);
    await run(message, never);
  });

  test('attempts that make progress: not counted, however many; those that only write their output again are counted', async () => {
    const message = await put();
    const progresses: Run = async (lease) => {
      await lease.progress({ stop: lease.job.stop + 1 });
      return breaksDown(lease);
    };
    for (let attempts = 1; attempts <= 5; attempts++) {
      await run(message, progresses);
      expect(await depot.rowOf(message)).toMatchObject({ place: 'van', stop: attempts, tries: 0 });
    }
    const restarts: Run = async (lease) => {
      await lease.restart({ stop: 0 });
      return progresses(lease);
    };
    for (let attempts = 1; attempts <= 2; attempts++) await run(message, restarts);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'lost', reason: 'attempts-exhausted' });
  });

  test('attempts whose workers are lost: the claim after the last one fails the job', async () => {
    const message = await put();
    const dies: Run = async () => {};
    for (const clock of [0, 80]) {
      depot.clock = clock;
      await run(message, dies);
    }
    depot.clock = 160;
    await run(message, never);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'lost', reason: 'attempts-exhausted' });
  });
});

describe('the reconciler', () => {
  test('a job whose message is lost: reminders at growing intervals, then it fails', async () => {
    const message = await put();
    const waits: number[] = [];
    const elapse = async () => {
      const due = ((await depot.rowOf(message)).due_at as number) - START;
      waits.push(due - depot.clock);
      depot.clock = due - 1;
      expect(await remind()).toEqual([]);
      depot.clock = due;
    };
    for (let reminders = 1; reminders <= 2; reminders++) {
      await elapse();
      expect(await remind()).toEqual([[message]]);
      expect(await depot.rowOf(message)).toMatchObject({ reminders, place: 'shelf' });
    }
    await elapse();
    expect(waits).toEqual([5000, 5000, 20_000]);
    depot.counts.length = 0;
    expect(await remind()).toEqual([]);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'lost', reason: 'never-started', lease_until: 0 });
    expect(depot.counts).toContainEqual(['ExportsFailed']);
  });

  test('a job whose worker is lost: a reminder once its lease has ended', async () => {
    const message = await put();
    await run(message, async () => {});
    depot.clock = 79;
    expect(await remind()).toEqual([]);
    depot.clock = 80;
    expect(await remind()).toEqual([[message]]);
    expect(depot.counts).toContainEqual(['ExportsReminded', expect.any(Number)]);
    expect(await depot.rowOf(message)).toMatchObject({ lease_until: 0, reminders: 1 });
    await run(message, deliver);
    expect(await depot.rowOf(message)).toMatchObject({ place: 'door', reminders: 0 });
  });

  test('jobs of several accounts, one of which cannot be read: reminders for the others', async () => {
    const messages = await Promise.all([put(1), put(2), depot.put(`${account}_other`, parcel(1))]);
    depot.clock = 5000;
    const context = depot.message({ account_id: account, export_id: 0 });
    const broken = async () => {
      throw new Error('broken');
    };
    const storesOf = (name: string) => {
      const stores = depot.storesOf(name);
      if (name === `${account}_other`) Object.assign(stores.parcels, { find: broken });
      return stores;
    };
    const { isComplete } = await remindDue(parcelJob, context, { across: depot.across, storesOf });
    expect(isComplete).toBe(false);
    const own = depot.sent.filter((sent) => JSON.stringify(sent).includes(account));
    expect(own).toEqual(expect.arrayContaining([[messages[0]], [messages[1]]]));
    expect([own.length, depot.reports]).toEqual([2, ['not reconciled']]);
  });

  test('too little time left: the next run sends the reminders', async () => {
    const message = await put();
    depot.clock = 5000;
    depot.remainingMs = 4999;
    expect(await remind()).toEqual([]);
    depot.remainingMs = 5000;
    expect(await remind()).toEqual([[message]]);
  });

  test('150 due jobs of one account before one of another, and time for 101: the other one gets its reminder', async () => {
    const other = await depot.put(`${account}_other`, parcel(1));
    const rows = [...Array.from({ length: 150 }, (_, i) => ({ account_id: account, id: i + 1 })), { ...other, id: 1 }];
    const across = {
      async *due<K extends object>() {
        for (const row of rows) yield { ...row, due_at: START } as unknown as K;
      },
    };
    let found = 0;
    const storesOf = (name: string) => {
      const stores = depot.storesOf(name);
      if (++found === 101) depot.remainingMs = 0;
      return stores;
    };
    depot.clock = 5000;
    const context = depot.message({ account_id: account, export_id: 0 });
    expect(await remindDue(parcelJob, context, { across, storesOf })).toMatchObject({ reminded: 1 });
    expect(depot.sent).toEqual([[other]]);
    // Without time, most rows are not read.
    expect(await remindDue(parcelJob, context, { across, storesOf })).toEqual({
      reminded: 0,
      failed: 0,
      isComplete: false,
    });
  });
});
