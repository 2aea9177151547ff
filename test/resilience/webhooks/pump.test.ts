import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { countUnits } from '#test/scaling/units.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { type Crash, injectCrashes } from '#test/support/faults/crash.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { delayIndex } from '#test/support/faults/late-index.ts';
import { watchUpdates } from '#test/support/faults/watch-updates.ts';
import { behaviors, during, onlyFirst } from '#test/support/receivers/webhook-receivers.ts';
import { stopClock } from '#test/support/service/clock.ts';
import {
  account,
  changeAccount,
  createEndpoint,
  createFailing,
  createWithEvents,
  HOUR,
  MINUTE,
  move,
  receiver,
  sequences,
  service,
  sorted,
  statuses,
  useWebhooks,
  work,
} from './pumps.ts';

/* The turns of a pump, the lease of the endpoint, and what wakes an endpoint (CONTRACT §15). */

/** The index of the pending deliveries of each endpoint. */
const QUEUE = 'by_webhook_endpoint_id_then_queued_at';

useWebhooks();

/** The delays of the messages that are sent meanwhile, in seconds. */
const delaysDuring = async (work: () => Promise<unknown>): Promise<number[]> => {
  const delays: number[] = [];
  service.own.sqs.middlewareStack.add(
    (next) => (call) => {
      const { Entries = [] } = call.input as SendMessageBatchCommandInput;
      delays.push(...Entries.map(({ DelaySeconds = 0 }) => DelaySeconds));
      return next(call);
    },
    { step: 'initialize', name: 'delays' },
  );
  await work();
  service.own.sqs.middlewareStack.remove('delays');
  return delays;
};

describe('a turn', () => {
  test('an event during the last request, and its message ends at once: the first pump sends the event [CONTRACT §15]', async () => {
    const id = await createWithEvents(1);
    receiver.behavior = during(1, async () => {
      await account.createEvents(1);
      await service.queue.purge();
      expect(await work(id, id)).toBe(0);
      expect(receiver.requests).toHaveLength(1);
    });
    await work(id);
    expect(sequences()).toEqual([2, 3]);
    expect(await account.storedEndpoint()).toMatchObject({ lease_until: 0, position: 3 });
  });

  test('30 events: ten at a time, in the order of the feed [CONTRACT §15]', async () => {
    await createEndpoint();
    const answers: (() => void)[] = [];
    receiver.behavior = (...exchange) => {
      answers.push(() => behaviors.ok(...exchange));
      if (answers.length === 10) for (const answer of answers.splice(0)) answer();
    };
    await account.createEvents(30);
    await service.drain();
    const tens = batchesOf(sequences(), 10).map(sorted);
    expect(tens.flat()).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
  });

  test('30 events, and its time is over after the first: it ends with the requests in flight, and its message follows [CONTRACT §15]', async () => {
    const id = await createWithEvents(30);
    receiver.behavior = during(1, async () => service.moveClock(11_000));
    await work(id);
    const { length } = receiver.requests;
    expect(length).toBeLessThanOrEqual(19);
    expect(await account.storedEndpoint()).toMatchObject({ position: 1 + length, due_at: expect.any(Number) });
    await service.drain();
    expect(sorted(sequences())).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
    expect(await account.storedEndpoint()).not.toHaveProperty('due_at');
  });

  test('a later attempt in 5 s: one message for its time, and another one only after a message that came early [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const id = await createEndpoint();
    await account.createEvents(1);
    stopClock();
    const [first, ...others] = await delaysDuring(() => service.drain());
    expect([others, Number(first) >= 4]).toEqual([[], true]);
    expect(await delaysDuring(() => work(id))).toEqual([]);
    service.moveClock(Number((await account.storedEndpoint())['due_at']) - Date.now() - 600);
    stopClock();
    expect(await delaysDuring(() => work(id))).toEqual([1]);
    service.moveClock(0);
    expect(receiver.requests).toHaveLength(1);
  });

  test('an event and a test, and the turn fails after its attempts: its message is deleted, and the reconciler repeats them a minute later [CONTRACT §15]', async () => {
    const id = await createWithEvents(1);
    await account.act(`webhook-endpoints/${id}/test`);
    await service.queue.purge();
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', (attributes) => {
      if (attributes.includes('position')) throw new Error('The turn fails after its attempts.');
    });
    expect(await work(id)).toBe(0);
    stop();
    expect(await account.storedDeliveries()).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(await account.storedEndpoint()).toMatchObject({ lease_until: 0, position: 0 });
    await service.reconcileAfter(MINUTE + 5);
    expect([sequences(), await statuses()]).toEqual([
      [null, 2, null, 2],
      ['succeeded', 'succeeded'],
    ]);
  });

  test('ten answers in turn, 200 and 500: the fifth 500 is the first in a row [CONTRACT §15]', async () => {
    const waiting: (() => void)[] = [];
    let requests = 0;
    receiver.behavior = (request, response) => {
      const behavior = requests++ % 2 === 1 ? behaviors.failing : behaviors.ok;
      waiting.push(() => behavior(request, response));
      // An answer follows when the sender has closed the connection of the one before.
      request.socket.once('close', () => waiting.shift()?.());
      if (requests === 10) waiting.shift()?.();
    };
    await createEndpoint();
    await account.createEvents(10);
    await service.drain();
    expect(receiver.requests).toHaveLength(10);
    expect(await account.storedEndpoint()).toMatchObject({ failures: 1, probe_at: 0 });
  });

  const WHEN = ['before', 'after'] as const;

  /** Sends four events, of which the second fails, with a crash; then time passes, and everything is sent. */
  const sendWith = async (crashes: ReturnType<typeof injectCrashes>, crash?: Crash): Promise<readonly string[]> => {
    changeAccount();
    let requests = 0;
    receiver.behavior = (...exchange) => (++requests === 2 ? behaviors.failing : behaviors.ok)(...exchange);
    const id = await createWithEvents(4);
    const before = receiver.requests.length;
    crashes.plan(crash);
    await work(id).catch(() => {});
    const calls = [...crashes.calls];
    crashes.plan();
    receiver.behavior = behaviors.ok;
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    await service.nextStep(account);
    expect(new Set(sequences(before))).toEqual(new Set([2, 3, 4, 5]));
    expect((await account.storedDeliveries()).map(({ status, sequence }) => [status, sequence])).toEqual(
      [2, 3, 4, 5].map((sequence) => ['succeeded', sequence]),
    );
    expect(await account.storedEndpoint()).toMatchObject({ position: 5, lease_until: 0 });
    return calls;
  };

  test('a pump that dies before or after each of its AWS calls: each event is delivered, and has one delivery [CONTRACT §15]', async () => {
    const crashes = injectCrashes(Object.values(service.own));
    const calls = await sendWith(crashes);
    expect(calls.length).toBeGreaterThanOrEqual(5);
    const points = calls.flatMap((_, i) => WHEN.map((when) => ({ number: i + 1, when })));
    for (const crash of partOf(points, 5)) await sendWith(crashes, crash);
  });
});

describe('the lease', () => {
  test('changes of the endpoint before each claim of a pump: its message is sent again [CONTRACT §15]', async () => {
    const id = await createEndpoint();
    let claims = 0;
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
      if (!attributes.includes('lease_until')) return;
      claims += 1;
      await account.patchEndpoint(id, { description: `${claims}` });
    });
    expect(await delaysDuring(() => work(id))).toEqual([1]);
    stop();
    expect(claims).toBe(3);
  });

  test.each([
    ['an endpoint that is due meanwhile', true],
    ['an endpoint that gets a message meanwhile', false],
  ])('of a pump that is lost, %s: the reconciler wakes the endpoint after it [CONTRACT §15]', async (_, isDue) => {
    const id = await createWithEvents(1);
    await move(id, { lease_until: Date.now() + MINUTE, due_at: isDue ? Date.now() : undefined });
    if (!isDue) await work(id);
    await service.schedule('workers/reconcile');
    expect(await account.storedEndpoint()).toHaveProperty('due_at');
    await service.drain();
    expect(receiver.requests).toEqual([]);
    await service.reconcileAfter(MINUTE + 5);
    expect([sequences(), await account.storedEndpoint()]).toMatchObject([[2], { lease_until: 0 }]);
  });
});

describe('what wakes an endpoint', () => {
  test('an event that a list publishes while a turn ends: the turn [CONTRACT §15]', async () => {
    await createEndpoint();
    await service.dispatch(account.id);
    await service.drain();
    await account.createCustomer();
    const list = async () => {
      expect((await account.get('/v1/events')).data).toHaveLength(2);
      service.moveClock(1000);
    };
    await interleave(service.own.dynamo)(list, () => service.dispatch(account.id));
    await service.drain();
    expect(sequences()).toEqual([2]);
  });

  const NEVER = Number.MAX_SAFE_INTEGER;
  test.each([
    ['a later attempt that is due, of an endpoint without a time', { due_at: undefined }, false],
    ['a later attempt that is due, of an endpoint with a later time', { due_at: NEVER }, false],
    ['a test, of an endpoint that fails and has events', { due_at: NEVER, failures: 5, probe_at: NEVER }, true],
  ])('%s: the next scan [CONTRACT §15]', async (_, change, isTest) => {
    const id = await createFailing(1);
    if (isTest) await account.act(`webhook-endpoints/${id}/test`);
    if (isTest) await account.createEvents(1);
    await service.queue.purge();
    await move(id, change);
    receiver.behavior = behaviors.ok;
    await service.reconcileAfter(7000);
    expect(receiver.requests).toHaveLength(1);
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    expect(sequences()[1]).toBe(isTest ? null : 2);
  });

  test('further events of an endpoint that fails: nothing; its probe follows at its time [CONTRACT §15]', async () => {
    await createFailing(6);
    const { due_at, probe_at } = await account.storedEndpoint();
    expect(due_at).toBe(probe_at);
    await account.createEvents(1);
    await service.drain();
    await account.createEvents(3);
    expect(await service.queue.receive()).toEqual([]);
    expect(await account.storedEndpoint()).toMatchObject({ due_at: probe_at });
    const before = receiver.requests.length;
    receiver.behavior = behaviors.ok;
    await service.reconcileAfter(Number(probe_at) - Date.now() + 5);
    expect(sorted(sequences(before)).slice(-4)).toEqual([8, 9, 10, 11]);
    expect(await account.storedEndpoint()).toMatchObject({ failures: 0, probe_at: 0, position: 11 });
  });

  test('an event of an endpoint that fails, while only a later attempt waits, after the probe: the probe [CONTRACT §15]', async () => {
    const id = await createFailing(5);
    const { probe_at } = await account.storedEndpoint();
    await move(id, { due_at: Number(probe_at) + HOUR });
    await account.createEvents(1);
    await service.drain();
    expect([receiver.requests.length, await account.storedEndpoint()]).toMatchObject([5, { due_at: probe_at }]);
  });

  test('the events of a disabled endpoint: nothing; no worker reads, writes or sends anything for them [CONTRACT §15]', async () => {
    const takeUsage = countUnits(service.own.dynamo);
    const runWorkers = async () => {
      for (const worker of ['reconcile', 'publish-waiting-changes', 'wake-webhook-endpoints'] as const)
        await service.schedule(`workers/${worker}`);
    };
    await createEndpoint({ status: 'disabled' });
    const usedAfter = async (count: number) => {
      await account.createEvents(count);
      // What other accounts need is done.
      await runWorkers();
      await service.drain();
      takeUsage();
      await runWorkers();
      expect([await service.queue.receive(), await account.storedDeliveries()]).toEqual([[], []]);
      return takeUsage();
    };
    const [few, many] = [await usedAfter(2), await usedAfter(40)];
    expect([many.calls, many.writes]).toEqual([few.calls, 0]);
    // The rows of other accounts vary by less than the 38 events have.
    expect(Math.abs(many.reads - few.reads)).toBeLessThan(2);
  });
});

describe('an index that is late', () => {
  test('a test: sent by the same turn [CONTRACT §15]', async () => {
    const id = await createEndpoint();
    await account.act(`webhook-endpoints/${id}/test`);
    const stop = delayIndex(service.own.dynamo, QUEUE, 1);
    await service.drain();
    stop();
    expect([receiver.requests.length, await statuses()]).toEqual([1, ['succeeded']]);
  });

  test('a test during the lease of a pump: sent by the same turn [CONTRACT §15]', async () => {
    const id = await createWithEvents(1);
    let stop = () => {};
    receiver.behavior = during(1, async () => {
      await account.act(`webhook-endpoints/${id}/test`);
      stop = delayIndex(service.own.dynamo, QUEUE, 2);
    });
    await work(id);
    stop();
    expect([receiver.requests.length, await statuses()]).toEqual([2, ['succeeded', 'succeeded']]);
  });

  test('the time of a later attempt: stays, in the next steps and turns [CONTRACT §15]', async () => {
    receiver.behavior = onlyFirst(behaviors.failing);
    const id = await createWithEvents(25);
    const stop = delayIndex(service.own.dynamo, QUEUE, 99);
    await work(id);
    const pending = (await account.storedDeliveries()).find(({ status }) => status === 'pending');
    const due_at = Date.parse(String(pending?.['next_attempt_at']));
    expect(await account.storedEndpoint()).toMatchObject({ due_at, lease_until: 0, position: 26 });
    await work(id);
    stop();
    expect(await account.storedEndpoint()).toMatchObject({ due_at, lease_until: 0 });
  });

  test('deliveries of an endpoint that is deleted: canceled [CONTRACT §15]', async () => {
    const id = await createFailing(3);
    await service.queue.purge();
    await account.send('DELETE', `/v1/webhook-endpoints/${id}`);
    const stop = delayIndex(service.own.dynamo, QUEUE, 1);
    await service.drain();
    stop();
    expect(await statuses()).toEqual(Array(3).fill('canceled'));
  });
});
