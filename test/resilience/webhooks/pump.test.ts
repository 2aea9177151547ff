import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import { describe, expect, test } from '@jest/globals';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { type Crash, injectCrashes } from '#test/support/faults/crash.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { delayIndex } from '#test/support/faults/late-index.ts';
import { watchUpdates } from '#test/support/faults/watch-updates.ts';
import { behaviors, during, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { moveWebhook } from '#test/support/requests/requests.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/* What happens to an endpoint while a pump sends its events (CONTRACT §15). */

const MINUTE = 60_000;
const TYPES = { event_types: ['customer.created'] };
/** The index of the pending deliveries of each endpoint. */
const QUEUE = 'by_webhook_endpoint_id_then_queued_at';

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
});

const stored = async () => (await rowsOf(service, 'webhookEndpoints', account.id))[0] as Record<string, unknown>;
const rows = () => rowsOf(service, 'webhookDeliveries', account.id);
const sequences = (from = 0) => receiver.requests.slice(from).map(({ body }) => JSON.parse(body).sequence);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const messageFor = (id: number) => ({ account_id: account.id, webhook_endpoint_id: id });

/** Lets time pass, and does what is due meanwhile. */
const passUntil = (time: number): Promise<void> => service.passUntil(account, time);

describe('a change of the endpoint while a batch is sent', () => {
  test('of event_types: the batch is decided again, and nothing is sent twice [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, { event_types: ['customer.updated'] });
    const customer = await account.createCustomer();
    await account.send('PATCH', `/v1/customers/${customer}`, { name: 'Eve' });
    receiver.behavior = during(1, async () => {
      await account.patchEndpoint(id, { event_types: ['customer.created', 'customer.updated'] });
      await account.createEvents(1);
    });
    await service.dispatch(account.id);
    await service.drain();
    // 1 is the creation of the endpoint, 4 its update.
    expect(sequences()).toEqual([3, 2, 5]);
    expect((await rows()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test.each(['gone', 'failing'] as const)(
    'of the URL, and the former one is %s: the endpoint has no failure, and the delivery is sent to the new URL [CONTRACT §15]',
    async (answer) => {
      const works = await startReceiver(behaviors.ok);
      const { id } = await account.createEndpoint(receiver, TYPES);
      const change = () => account.patchEndpoint(id, { url: works.url });
      receiver.behavior = during(1, change, behaviors[answer]);
      await account.createEvents(1);
      await service.drain();
      expect(await stored()).toMatchObject({ status: 'enabled', failures: 0, failing_since: 0 });
      expect(await rows()).toMatchObject([{ status: 'pending', step: 1 }]);
      await service.nextStep(account);
      expect([receiver.requests.length, works.requests.length]).toEqual([1, 1]);
      await works.close();
    },
  );

  test('a rewind: the events after it are sent again [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(2);
    await service.drain();
    receiver.behavior = during(1, () => account.act(`webhook-endpoints/${id}/rewind`, { sequence: 2 }));
    await account.createEvents(1);
    await service.drain();
    expect(sequences()).toEqual([2, 3, 4, 3, 4]);
  });

  test('a rewind of an endpoint that has not started: the events before its creation are sent, too [CONTRACT §15]', async () => {
    await account.createEvents(1);
    // Not published yet, so the position of the endpoint is before it, and the rewind does not change it.
    await account.createCustomer();
    const { id } = await account.createEndpoint(receiver, TYPES);
    receiver.behavior = during(1, () => account.act(`webhook-endpoints/${id}/rewind`, { sequence: 1 }));
    // More than a batch: the turn does not end with the first one.
    await account.createEvents(25);
    await service.drain();
    expect(sequences()).toContain(2);
  });

  test.each(['ok', 'failing'] as const)(
    'of event_types, so that what is sent is not wanted any more, and the answer is %s: it has a delivery [CONTRACT §15]',
    async (answer) => {
      const { id } = await account.createEndpoint(receiver, TYPES);
      const change = () => account.patchEndpoint(id, { event_types: ['customer.deleted'] });
      receiver.behavior = during(1, change, behaviors[answer]);
      await account.createEvents(1);
      await service.drain();
      const status = answer === 'ok' ? 'succeeded' : 'pending';
      expect([sequences(), await rows()]).toMatchObject([[2], [{ status, step: 1, sequence: 2 }]]);
    },
  );

  test('disabled, and enabled again: what was sent has a delivery, and the rest follows [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    receiver.behavior = during(3, () => account.patchEndpoint(id, { status: 'disabled' }));
    await account.createEvents(30);
    await service.drain();
    const attempted = receiver.requests.length;
    expect(attempted).toBeLessThan(30);
    expect(await rows()).toHaveLength(attempted);
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.drain();
    expect(sorted(sequences())).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
    expect(await rows()).toHaveLength(30);
  });

  test('deleted: no delivery is stored afterwards [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    receiver.behavior = during(1, () => account.send('DELETE', `/v1/webhook-endpoints/${id}`));
    await account.createEvents(3);
    await service.drain();
    expect([receiver.requests.length, await rows()]).toEqual([3, []]);
  });
});

describe('the turn', () => {
  test('three messages at the same time: each event is sent once [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(30);
    const message = messageFor(id);
    await service.deliver([message, message, message]);
    expect([receiver.requests.length, (await rows()).length]).toEqual([30, 30]);
    expect(await stored()).toMatchObject({ lease_until: 0, position: 31 });
    expect(await stored()).not.toHaveProperty('due_at');
  });

  test('an event during the last request, and its message ends at once: the first pump sends the event [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    receiver.behavior = during(1, async () => {
      await account.createEvents(1);
      await service.queue.purge();
      expect(await service.deliver([messageFor(id), messageFor(id)])).toBe(0);
      expect(receiver.requests).toHaveLength(1);
    });
    await service.deliver([messageFor(id)]);
    expect(sequences()).toEqual([2, 3]);
    expect(await stored()).toMatchObject({ lease_until: 0, position: 3 });
  });

  test('30 events: ten at a time, in the order of the feed [CONTRACT §15]', async () => {
    await account.createEndpoint(receiver, TYPES);
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
    await account.createEndpoint(receiver, TYPES);
    receiver.behavior = during(1, async () => service.moveClock(11_000));
    await account.createEvents(30);
    const messages = await service.queue.receive();
    await service.deliver(messages.map(({ Body = '' }) => JSON.parse(Body)));
    expect(receiver.requests.length).toBeLessThanOrEqual(19);
    expect(await stored()).toMatchObject({ position: 1 + receiver.requests.length, due_at: expect.any(Number) });
    await service.drain();
    expect(sorted(sequences())).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
    expect(await stored()).not.toHaveProperty('due_at');
  });

  /** The delays of the messages that are sent meanwhile, in seconds, by request to SQS. */
  const delaysDuring = async (work: () => Promise<unknown>): Promise<number[][]> => {
    const delays: number[][] = [];
    service.own.sqs.middlewareStack.add(
      (next) => (call) => {
        const { Entries = [] } = call.input as SendMessageBatchCommandInput;
        delays.push(Entries.map(({ DelaySeconds = 0 }) => DelaySeconds));
        return next(call);
      },
      { step: 'initialize', name: 'delays' },
    );
    await work();
    service.own.sqs.middlewareStack.remove('delays');
    return delays;
  };

  test('an event that 20 endpoints get: two requests to SQS wake them', async () => {
    for (let i = 0; i < 20; i++) await account.createEndpoint(receiver, TYPES);
    await account.createCustomer();
    const delays = await delaysDuring(() => service.dispatch(account.id));
    expect(delays.map(({ length }) => length)).toEqual([10, 10]);
    await service.drain();
    expect(sequences()).toEqual(Array(20).fill(21));
  });

  test('a later attempt in 5 s: one message for its time, and another one only after a message that came early [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    stopClock();
    const [first = []] = await delaysDuring(() => service.drain());
    expect([first.length, Number(first[0]) >= 4]).toEqual([1, true]);
    expect(await delaysDuring(() => service.deliver([messageFor(id)]))).toEqual([]);
    service.moveClock(Number((await stored())['due_at']) - Date.now() - 600);
    stopClock();
    expect(await delaysDuring(() => service.deliver([messageFor(id)]))).toEqual([[1]]);
    service.moveClock(0);
    expect(receiver.requests).toHaveLength(1);
  });

  test('changes of the endpoint before each claim of a pump: its message is sent again [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    let claims = 0;
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
      if (!attributes.includes('lease_until')) return;
      claims += 1;
      await account.patchEndpoint(id, { description: `${claims}` });
    });
    expect(await delaysDuring(() => service.deliver([messageFor(id)]))).toEqual([[1]]);
    stop();
    expect(claims).toBe(3);
  });

  test('an endpoint that is due during a lease: still due after it, for the case that the pump is lost [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await moveWebhook(service, account.id, id, { lease_until: Date.now() + MINUTE, due_at: Date.now() });
    await service.schedule('workers/reconcile');
    expect(await stored()).toHaveProperty('due_at');
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect(await stored()).toMatchObject({ lease_until: 0 });
  });

  test('a turn that fails unexpectedly: its message is deleted, and the reconciler wakes the endpoint a minute later [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.queue.purge();
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', (attributes) => {
      if (attributes.includes('position')) throw new Error('The turn fails after its attempts.');
    });
    expect(await service.deliver([messageFor(id)])).toBe(0);
    stop();
    expect([await rows(), await stored()]).toMatchObject([[], { lease_until: 0, position: 0 }]);
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect([sequences(), await rows()]).toMatchObject([[2, 2], [{ status: 'succeeded' }]]);
  });

  test('a turn that fails unexpectedly after a later attempt: the reconciler repeats it [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.act(`webhook-endpoints/${id}/test`);
    await service.queue.purge();
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookDeliveries', (attributes) => {
      if (attributes.includes('response_status')) throw new Error('The turn fails after its attempt.');
    });
    expect(await service.deliver([messageFor(id)])).toBe(0);
    stop();
    expect([receiver.requests.length, await rows()]).toMatchObject([1, [{ status: 'pending', attempts: 0 }]]);
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect([receiver.requests.length, await rows()]).toMatchObject([2, [{ status: 'succeeded', attempts: 1 }]]);
  });

  test('an event that a list publishes while a turn ends: the turn wakes the endpoint [CONTRACT §15]', async () => {
    await account.createEndpoint(receiver, TYPES);
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

  test('a message that is lost: the event is sent after the next scan of all endpoints [CONTRACT §15]', async () => {
    await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.queue.purge();
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    expect(sequences()).toEqual([2]);
  });

  test('a message that is lost after a change of the endpoint: the reconciler sends another one [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, { ...TYPES, status: 'disabled' });
    await account.createEvents(2);
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.queue.purge();
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect(sequences()).toEqual([2, 3]);
  });

  test('a pending delivery of an endpoint without a time: the next scan wakes the endpoint [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.drain();
    await service.queue.purge();
    await moveWebhook(service, account.id, id, { due_at: undefined });
    receiver.behavior = behaviors.ok;
    service.moveClock(7000);
    await service.schedule('workers/reconcile');
    expect(await service.queue.receive()).toEqual([]);
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    expect(await rows()).toMatchObject([{ status: 'succeeded', attempts: 2 }]);
  });

  test('a test of which the index does not know yet: sent by the same turn [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.act(`webhook-endpoints/${id}/test`);
    const stop = delayIndex(service.own.dynamo, QUEUE, 1);
    await service.drain();
    stop();
    expect([receiver.requests.length, await rows()]).toMatchObject([1, [{ status: 'succeeded' }]]);
  });

  test('a test during the lease of a pump, of which the index does not know yet: sent by the same turn [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.queue.purge();
    let stop = () => {};
    receiver.behavior = during(1, async () => {
      await account.act(`webhook-endpoints/${id}/test`);
      stop = delayIndex(service.own.dynamo, QUEUE, 2);
    });
    await service.deliver([messageFor(id)]);
    stop();
    expect([receiver.requests.length, (await rows()).map(({ status }) => status)]).toEqual([
      2,
      ['succeeded', 'succeeded'],
    ]);
  });

  test('a test that the index shows too late, before a later attempt: the next scan wakes the endpoint [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.drain();
    service.moveClock(7000);
    await service.deliverDue(account);
    await account.act(`webhook-endpoints/${id}/test`);
    const stop = delayIndex(service.own.dynamo, QUEUE, 9, ({ queued_at_id }) => String(queued_at_id).startsWith('0'));
    await service.drain();
    stop();
    expect([receiver.requests.length, Number((await stored())['due_at']) > Date.now() + MINUTE]).toEqual([2, true]);
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    expect(receiver.requests).toHaveLength(3);
  });

  test('a message that meets the lease of a lost pump: the reconciler wakes the endpoint after the lease [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.queue.purge();
    await moveWebhook(service, account.id, id, { lease_until: Date.now() + MINUTE });
    await service.deliver([messageFor(id)]);
    expect(receiver.requests).toHaveLength(0);
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect(sequences()).toEqual([2]);
  });

  test('the time of a retry that the index does not show at the end of a turn: it stays [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(1);
    await service.drain();
    const { due_at } = await stored();
    expect(due_at).toBe(Date.parse(String((await rows())[0]?.['next_attempt_at'])));
    const stop = delayIndex(service.own.dynamo, QUEUE, 9);
    await service.deliver([messageFor(id)]);
    stop();
    expect(await stored()).toMatchObject({ due_at, lease_until: 0 });
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
    await account.createEndpoint(receiver, TYPES);
    await account.createEvents(10);
    await service.drain();
    expect(receiver.requests).toHaveLength(10);
    expect(await stored()).toMatchObject({ failures: 1, probe_at: 0 });
  });

  test('30 events of a receiver that fails: no request begins after the fifth failure [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    await account.createEndpoint(receiver, TYPES);
    await account.createEvents(30);
    await service.drain();
    const sent = receiver.requests.length;
    expect([sent >= 5, sent <= 14, (await rows()).length]).toEqual([true, true, sent]);
    expect(await stored()).toMatchObject({ failures: 5, probes: 0, position: 1 + sent });
  });
});

/** The returned function returns the calls since its last call, by command and table, and the rows that they have read. */
const countRows = ({ middlewareStack }: Webhooks['own']['dynamo']) => {
  let used: Record<string, { readonly calls: number; readonly rows: number }> = {};
  middlewareStack.add(
    (next, context) => async (call) => {
      const answer = await next(call);
      const { TableName } = call.input as { readonly TableName?: string };
      const { ScannedCount = 0 } = answer.output as { readonly ScannedCount?: number };
      const name = `${context.commandName} ${TableName}`;
      const { calls, rows } = used[name] ?? { calls: 0, rows: 0 };
      used[name] = { calls: calls + 1, rows: rows + ScannedCount };
      return answer;
    },
    { step: 'initialize', name: 'count-rows' },
  );
  return () => {
    const before = used;
    used = {};
    return before;
  };
};

describe('what waits', () => {
  const FEW = 2;
  const MANY = 40;

  test('the events of a disabled endpoint: no worker reads, writes or sends anything for them [CONTRACT §15]', async () => {
    const used = countRows(service.own.dynamo);
    const runWorkers = async () => {
      for (const worker of ['reconcile', 'publish-waiting-changes', 'wake-webhook-endpoints'] as const)
        await service.schedule(`workers/${worker}`);
    };
    await account.createEndpoint(receiver, { ...TYPES, status: 'disabled' });
    const usedAfter = async (count: number) => {
      await account.createEvents(count);
      // What other accounts need is done.
      await runWorkers();
      await service.drain();
      used();
      await runWorkers();
      expect(await service.queue.receive()).toEqual([]);
      expect(await rows()).toEqual([]);
      return used();
    };
    const few = await usedAfter(FEW);
    expect(await usedAfter(MANY)).toEqual(few);
    expect(Object.keys(few).filter((call) => !/^(Query|Scan|GetItem|BatchGetItem)Command /.test(call))).toEqual([]);
  });

  test('the events of an endpoint that fails: further events send no message, and a probe follows at its time [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    await account.createEndpoint(receiver, TYPES);
    await account.createEvents(6);
    await service.drain();
    const { due_at, probe_at } = await stored();
    expect(due_at).toBe(probe_at);
    await account.createEvents(1);
    await service.drain();
    await account.createEvents(3);
    expect(await service.queue.receive()).toEqual([]);
    expect(await stored()).toMatchObject({ due_at: probe_at });
    const before = receiver.requests.length;
    receiver.behavior = behaviors.ok;
    service.moveClock(Number(probe_at) - Date.now() + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect(sorted(sequences(before)).slice(-4)).toEqual([8, 9, 10, 11]);
    expect(await stored()).toMatchObject({ failures: 0, probe_at: 0, position: 11 });
  });

  /** An endpoint that is disabled, with three deliveries that wait. */
  const disabledEndpoint = async (): Promise<number> => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(3);
    await service.drain();
    await account.patchEndpoint(id, { status: 'disabled' });
    await passUntil(Date.now() + 10_000);
    return id;
  };

  test('deliveries of an endpoint that is deleted, of which the index does not know yet: canceled [CONTRACT §15]', async () => {
    const id = await disabledEndpoint();
    await account.send('DELETE', `/v1/webhook-endpoints/${id}`);
    const stop = delayIndex(service.own.dynamo, QUEUE, 1);
    await service.drain();
    stop();
    expect((await rows()).map(({ status }) => status)).toEqual(Array(3).fill('canceled'));
  });

  test('deliveries of an endpoint that is deleted while a pump sends: canceled by the same pump [CONTRACT §15]', async () => {
    const id = await disabledEndpoint();
    await account.patchEndpoint(id, { status: 'enabled' });
    receiver.behavior = during(1, async () => {
      await account.send('DELETE', `/v1/webhook-endpoints/${id}`);
      await service.queue.purge();
    });
    await service.drain();
    expect((await rows()).map(({ status }) => status)).toEqual(Array(3).fill('canceled'));
  });
});

describe('probes', () => {
  /** An endpoint that fails, with deliveries that wait for their next attempts, and no event after its position. */
  const failingEndpoint = async (): Promise<number> => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(5);
    await service.drain();
    expect([receiver.requests.length, await stored()]).toEqual([
      5,
      expect.objectContaining({ failures: 5, probes: 0 }),
    ]);
    return id;
  };

  test('by deliveries, without events that wait: one at a time, in steps [CONTRACT §15]', async () => {
    await failingEndpoint();
    const { probe_at } = await stored();
    await passUntil(Number(probe_at));
    expect([receiver.requests.length, await stored()]).toEqual([
      6,
      expect.objectContaining({ failures: 6, probes: 1 }),
    ]);
    // The next step is half an hour.
    expect(Number((await stored())['probe_at']) - Date.now()).toBeGreaterThan(25 * MINUTE);
    receiver.behavior = behaviors.ok;
    for (let step = 0; step < 12 && (await stored())['failures'] !== 0; step++) await service.nextStep(account);
    await service.drain();
    expect(await stored()).toMatchObject({ failures: 0, probe_at: 0 });
    for (let step = 0; step < 5; step++) await service.nextStep(account);
    expect((await rows()).map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
  });

  test('of an event that comes while only a later attempt waits, after the probe: at the time of the probe [CONTRACT §15]', async () => {
    await failingEndpoint();
    const { probe_at } = await stored();
    const hour = Number(probe_at) + 60 * MINUTE;
    await moveWebhook(service, account.id, Number((await stored())['id']), { due_at: hour });
    await account.createEvents(1);
    await service.drain();
    expect(await stored()).toMatchObject({ due_at: probe_at });
  });

  test('of events that wait, and each fails: the reconciler finds each at its time [CONTRACT §15]', async () => {
    await failingEndpoint();
    await account.createEvents(2);
    await service.drain();
    for (let probes = 1; probes <= 3; probes++) {
      service.moveClock(Number((await stored())['probe_at']) - Date.now() + 5);
      await service.schedule('workers/reconcile');
      await service.drain();
      expect([receiver.requests.length, await stored()]).toEqual([5 + probes, expect.objectContaining({ probes })]);
    }
  });

  test('a sender that is lost during its probe: another one follows within minutes, in the same step [CONTRACT §15]', async () => {
    await failingEndpoint();
    await account.createEvents(2);
    await service.drain();
    service.moveClock(Number((await stored())['probe_at']) - Date.now() + 5);
    await service.schedule('workers/reconcile');
    const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', (attributes) => {
      if (attributes.includes('position')) throw new Error('The sender is lost after its probe.');
    });
    await service.drain();
    stop();
    expect([receiver.requests.length, await stored()]).toEqual([
      6,
      expect.objectContaining({ failures: 5, probes: 0 }),
    ]);
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/reconcile');
    await service.drain();
    expect([receiver.requests.length, await stored()]).toEqual([
      7,
      expect.objectContaining({ failures: 6, probes: 1 }),
    ]);
  });

  test('a test of an endpoint that fails: sent at once; a failure does not move the next probe [CONTRACT §15]', async () => {
    const id = await failingEndpoint();
    const before = await stored();
    const { json } = await account.act(`webhook-endpoints/${id}/test`);
    await service.drain();
    expect([receiver.requests.length, await stored()]).toEqual([6, { ...before, write_id: expect.any(String) }]);
    service.moveClock(10_000);
    await service.deliverDue(account);
    // Its second attempt waits like the attempts of other deliveries.
    expect(receiver.requests).toHaveLength(6);
    expect((await rows()).find((row) => row['id'] === json.id)).toMatchObject({ status: 'pending', attempts: 1 });
  });

  test('a new URL: no failures, and everything that waits is sent; the same URL: nothing changes [CONTRACT §15]', async () => {
    const id = await failingEndpoint();
    await account.createEvents(2);
    await service.drain();
    const works = await startReceiver(behaviors.ok);
    const { failures, probe_at } = await stored();
    await account.patchEndpoint(id, { url: receiver.url, description: 'x' });
    await service.drain();
    expect(await stored()).toMatchObject({ failures, probe_at });
    service.moveClock(10_000);
    await service.deliverDue(account);
    await account.patchEndpoint(id, { url: works.url });
    await service.drain();
    expect(await stored()).toMatchObject({ failures: 0, failing_since: 0, probes: 0, probe_at: 0 });
    expect([receiver.requests.length, works.requests.length]).toEqual([5, 7]);
    await works.close();
  });
});

describe('a pump that dies', () => {
  const WHEN = ['before', 'after'] as const;

  /** Sends four events, of which the second fails, with a crash; then time passes, and everything is sent. */
  const sendWith = async (crashes: ReturnType<typeof injectCrashes>, crash?: Crash): Promise<readonly string[]> => {
    account = service.account();
    let requests = 0;
    receiver.behavior = (...exchange) => (++requests === 2 ? behaviors.failing : behaviors.ok)(...exchange);
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(4);
    await service.queue.purge();
    const before = receiver.requests.length;
    crashes.plan(crash);
    await service.deliver([messageFor(id)]).catch(() => {});
    const calls = [...crashes.calls];
    crashes.plan();
    receiver.behavior = behaviors.ok;
    service.moveClock(MINUTE + 5);
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    await service.nextStep(account);
    expect(new Set(sequences(before))).toEqual(new Set([2, 3, 4, 5]));
    expect((await rows()).map(({ status, sequence }) => [status, sequence])).toEqual(
      [2, 3, 4, 5].map((sequence) => ['succeeded', sequence]),
    );
    expect(await stored()).toMatchObject({ position: 5, lease_until: 0 });
    return calls;
  };

  test('before or after each of its AWS calls: each event is delivered, and has one delivery [CONTRACT §15]', async () => {
    const crashes = injectCrashes(Object.values(service.own));
    const calls = await sendWith(crashes);
    expect(calls.length).toBeGreaterThanOrEqual(5);
    const points = calls.flatMap((_, i) => WHEN.map((when) => ({ number: i + 1, when })));
    for (const crash of partOf(points, 5)) await sendWith(crashes, crash);
  });
});
