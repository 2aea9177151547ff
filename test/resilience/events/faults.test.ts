import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { extent, isDeep, partOf, stride } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { FAULTS, type Fault, injectFaults } from '#test/support/faults/faults.ts';
import { interrupt } from '#test/support/faults/interleave.ts';
import { below, type Chance, pick } from '#test/support/requests/random-requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { checkFeed } from '#test/support/state/check-feed.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/*
 * Writers and sequencers race while AWS calls fail and clocks disagree (CONTRACT §14). `RUNS`, `WRITERS` and `WRITES`
 * set the extent: `RUNS=200 WRITERS=64 WRITES=10000 npm test -- test/resilience/events/faults --selectProjects deep` is the full one. `SEED` repeats the
 * random choices.
 */

const RUNS = extent({ full: 2, part: 1 });
const WRITERS = Number(process.env['WRITERS'] ?? (isDeep ? 16 : 4));
const WRITES = Number(process.env['WRITES'] ?? (isDeep ? 2000 : 100));

const SEQUENCERS = 3;
const CHANGES = 4;
const FAULT_SHARE = 0.08;

let make: Makers;

const service = await startService();
const interruptAt = interrupt(service.client);
const faults = injectFaults(service.client);
await retryWithoutDelay(service.client);
afterAll(() => service.stop());
beforeEach(() => useNewAccount());

const useNewAccount = (): void => {
  make = makers(service, { account: newAccount() });
};
/** A page with the number of all events, so that every change is published. */
const readFeed = async (): Promise<Answer['json']> =>
  (await make.untilDecided('GET', '/v1/events?page=1&per_page=1')).json;
const create = async (collection: string, body: object): Promise<number> =>
  (await make.untilDecided('POST', `/v1/${collection}`, body)).json.id;

/** Publishes the waiting changes without faults, and checks the feed and the empty outbox. */
const checkAfter = async (acknowledged?: ReadonlySet<string>): Promise<number> => {
  faults.plan();
  await readFeed();
  expect((await rowsOf(service, 'outbox', make.account_id)).filter((row) => 'changes' in row)).toEqual([]);
  return checkFeed(service, make.account_id, acknowledged);
};

const isPossible = (kind: Fault, command: string) => kind !== 'conflict' || !/^(Get|BatchGet|Query)/.test(command);

describe('a sequencer with one fault [CONTRACT §14]', () => {
  /** Three commits wait: two of one resource, and one with two resources. */
  const prepare = async (): Promise<void> => {
    const customer = await create('customers', { name: 'Ada' });
    await make.untilDecided('PATCH', `/v1/customers/${customer}`, { name: 'Bob' });
    const invoice_id = await create('invoices', {});
    await create('invoice-items', { invoice_id, description: 'Work', unit_amount_cents: 5 });
  };

  test.each(partOf(FAULTS, 3, 0))('%s at each AWS call: the next GET has every event once', async (kind) => {
    for (let number = 1, calls = 1; number <= calls; number += stride(4)) {
      useNewAccount();
      await prepare();
      let isInjected = false;
      faults.plan((attempt) => {
        if (attempt.number !== number || !isPossible(kind, attempt.command)) return undefined;
        isInjected = true;
        return kind;
      });
      const { status } = await make.send('GET', '/v1/events');
      calls = faults.attempts.length;
      // A crash ends the request, so the next call is known only after the next number.
      if (isInjected) calls = Math.max(calls, number + stride(4));
      // The SDK retries all faults but a crash.
      if (isInjected && !kind.startsWith('crash')) expect([number, status]).toEqual([number, 200]);
      expect([number, await checkAfter()]).toEqual([number, 5]);
      if (number + stride(4) > calls) expect(number).toBeGreaterThan(4);
    }
  });

  test.each(partOf(FAULTS, 3, 1))(
    '%s at every AWS call from one on, then a second sequencer: every event once',
    async (kind) => {
      for (let number = 1; number <= 8; number += stride(7)) {
        useNewAccount();
        await prepare();
        faults.plan((attempt) => (attempt.number >= number && isPossible(kind, attempt.command) ? kind : undefined));
        const request = { as: { account: make.account_id }, remaining: 1100 };
        await service.send('/v1/events', request);
        expect([number, await checkAfter()]).toEqual([number, 5]);
      }
    },
  );

  test('another sequencer, or a writer, before each AWS call: every event once', async () => {
    const customer = { name: 'Ada' };
    for (const competing of ['GET', 'PATCH']) {
      for (let number = 1, isInterrupted = true; isInterrupted; number += stride(4)) {
        useNewAccount();
        const id = await create('customers', customer);
        await readFeed();
        await make.untilDecided('PATCH', `/v1/customers/${id}`, { name: 'Bob' });
        const compete = () =>
          competing === 'GET' ? readFeed() : make.untilDecided('PATCH', `/v1/customers/${id}`, { name: 'Cyd' });
        ({ isInterrupted } = await interruptAt(number, compete, readFeed));
        expect(await checkAfter()).toBe(isInterrupted && competing === 'PATCH' ? 3 : 2);
      }
    }
  });
});

describe('writers and sequencers [CONTRACT §14]', () => {
  /** The resources that all writers change. */
  interface Shared {
    readonly customers: readonly number[];
    readonly invoices: readonly number[];
  }

  /** Changes random resources, and adds the changes that are acknowledged. */
  const write = async (shared: Shared, chance: Chance, acknowledged: Set<string>): Promise<void> => {
    for (let change = 0; change < CHANGES; change++) {
      const text = randomUUID();
      const acknowledge = (type: string, { json, headers, status }: Answer) => {
        expect(status).toBeLessThan(300);
        acknowledged.add(`${type} ${json.id}, version ${headers['etag']?.slice(1, -1)}`);
      };
      const choice = below(chance, 5);
      const customer = `/v1/customers/${pick(chance, shared.customers)}`;
      const invoice_id = pick(chance, shared.invoices);
      if (choice === 0) acknowledge('customer', await make.untilDecided('PATCH', customer, { name: text }));
      if (choice === 1) {
        const patch = { description: text };
        acknowledge('invoice', await make.untilDecided('PATCH', `/v1/invoices/${invoice_id}`, patch));
      }
      if (choice === 2) {
        const body = { invoice_id, amount_cents: 1 };
        acknowledge('payment', await make.untilDecided('POST', '/v1/payments', body));
      }
      if (choice === 3) acknowledge('invoice', await make.untilDecided('POST', '/v1/invoices', {}));
      if (choice === 4) {
        const created = await make.untilDecided('POST', '/v1/customers', { name: text });
        acknowledge('customer', created);
        await make.untilDecided('DELETE', `/v1/customers/${created.json.id}`);
      }
    }
  };

  /** Runs all writers and sequencers at the same time, and checks the feed. */
  const race = async (seed: number): Promise<number> => {
    const chance = chances(seed);
    const shared = {
      customers: [await create('customers', { name: 'a' }), await create('customers', { name: 'b' })],
      invoices: [await create('invoices', { total_cents: 1e6 }), await create('invoices', { total_cents: 1e6 })],
    };
    const acknowledged = new Set<string>();
    let isWriting = true;
    const sequence = async () => {
      while (isWriting) await readFeed();
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, () => write(shared, chance, acknowledged)));
    await Promise.all([
      writers.finally(() => {
        isWriting = false;
      }),
      ...Array.from({ length: SEQUENCERS }, sequence),
    ]);
    const events = await checkAfter(acknowledged);
    expect(events).toBeGreaterThan(WRITERS * CHANGES);
    return events;
  };

  test.each(partOf(FAULTS, 3, 2))(
    `%s in ${FAULT_SHARE * 100} %% of the AWS calls: every event once, in order`,
    async (kind) => {
      for (let run = 0; run < RUNS; run++) {
        useNewAccount();
        const chance = chances(SEED + run);
        let injected = 0;
        faults.plan(({ command }) => {
          // The first call that can fail always does, so that no race is without a fault.
          if (!isPossible(kind, command) || (injected > 0 && chance() >= FAULT_SHARE)) return undefined;
          injected++;
          return kind;
        });
        await race(SEED + run);
        expect(injected).toBeGreaterThan(0);
      }
    },
  );

  const SKEW_MS = 2000;

  test(`clocks that disagree by up to ${SKEW_MS} ms: ids ascend, and events of a resource are in order`, async () => {
    const begin = { wall: Date.now(), monotonic: performance.now() };
    const chance = chances(SEED);
    await make.send('GET', '/v1/events');
    stopClock(begin.wall);
    const timer = setInterval(() => {
      const now = begin.wall + performance.now() - begin.monotonic;
      jest.setSystemTime(Math.round(now + (chance() - 1 / 2) * 2 * SKEW_MS));
    }, 2);
    try {
      for (let run = 0; run < RUNS; run++) {
        useNewAccount();
        await race(SEED + run);
      }
    } finally {
      clearInterval(timer);
      jest.useRealTimers();
    }
  });

  test(`${WRITES} acknowledged writes: all are in the next GET /events, or each that is 503 publishes more of them`, async () => {
    const acknowledged = new Set<string>();
    const lane = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const { json } = await make.untilDecided('POST', '/v1/customers', { name: 'x' });
        acknowledged.add(`customer ${json.id}, version 1`);
      }
    };
    const LANES = 4;
    await Promise.all(Array.from({ length: LANES }, () => lane(WRITES / LANES)));
    const readTotal = () => make.send('GET', '/v1/events?page=1&per_page=1');
    let answer = await readTotal();
    for (let before = 0; answer.status === 503; answer = await readTotal()) {
      const published = (await rowsOf(service, 'events', make.account_id)).length;
      expect(published).toBeGreaterThan(before);
      before = published;
    }
    expect(answer.json.total_count).toBe(WRITES);
    expect(await checkFeed(service, make.account_id, acknowledged)).toBe(WRITES);
  });

  test('a writer that commits before each read of the outbox: the list ends, with every earlier event', async () => {
    let writes = 0;
    let isReading = true;
    const commit = async () => {
      isReading = false;
      await create('customers', { name: 'x' });
      writes++;
      isReading = true;
    };
    service.client.middlewareStack.add(
      (next, context) => async (call) => {
        const { TableName } = call.input as { TableName?: string };
        if (isReading && context.commandName === 'QueryCommand' && TableName === 'outbox') await commit();
        return next(call);
      },
      { step: 'initialize', name: 'busy' },
    );
    const { status, json } = await make.send('GET', '/v1/events');
    service.client.middlewareStack.remove('busy');
    // The commit before the first read. The list does not wait for later ones.
    expect([status, json.data.length]).toEqual([200, 1]);
    expect(await checkAfter()).toBe(writes);
  });
});
