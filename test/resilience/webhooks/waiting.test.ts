import type { TransactWriteItemsCommandInput, Update } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { countUnits } from '#test/scaling/units.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/* Deliveries that wait for an endpoint which is disabled or fails, and the health of that endpoint (CONTRACT §15). */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TYPES = { event_types: ['customer.created'] };

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.failing, (...own) => {
  [service, account, receiver] = own;
});

/** The endpoint of the account, as it is stored. */
const stored = async () => (await rowsOf(service, 'webhookEndpoints', account.id))[0] as Record<string, unknown>;
const rows = () => rowsOf(service, 'webhookDeliveries', account.id);
const held = async () => (await rows()).filter(({ held_by }) => held_by !== undefined);
const statuses = async () => (await rows()).map(({ status }) => status);
const reconcile = async (): Promise<void> => {
  await service.schedule('workers/reconcile');
  await service.drain();
};
const statusOf = async (id: unknown) => (await account.call('GET', `/v1/webhook-deliveries/${id}`)).json.status;

/** An endpoint that fails, with five deliveries that wait for their second attempts, and `waiting` that are held. */
const failingEndpoint = async (waiting: number) => {
  const endpoint = await account.createEndpoint(receiver, TYPES);
  await account.createEvents(5);
  await service.drain();
  expect(await stored()).toMatchObject({ failures: 5, probes: 0, probe_at: expect.any(Number) });
  await account.createEvents(waiting);
  await service.drain();
  expect([receiver.requests.length, (await held()).length]).toEqual([5, waiting]);
  return endpoint;
};

/** Calls `act` before each update of a row of the account, with the names of the attributes in the update. */
const watchUpdates = (table: string, act: (attributes: readonly string[]) => unknown): (() => void) => {
  const { middlewareStack } = service.own.dynamo;
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const { TransactItems = [], ...single } = call.input as Partial<TransactWriteItemsCommandInput>;
        const updates = [...TransactItems.map(({ Update }) => Update), commandName.startsWith('Update') && single];
        for (const { TableName, Key, ExpressionAttributeNames = {} } of updates.filter(Boolean) as Update[])
          if (TableName === table && JSON.stringify(Key).includes(account.id))
            await act(Object.values(ExpressionAttributeNames));
        return next(call);
      },
    { step: 'initialize', name: 'watch-updates' },
  );
  return () => middlewareStack.remove('watch-updates');
};

/** Moves the clock to the next probe. */
const waitForProbe = async (): Promise<void> =>
  service.moveClock(Number((await stored())['probe_at']) - Date.now() + 5);

describe('held deliveries', () => {
  test('25 deliveries to an endpoint that is enabled, and a lost message: all are sent after the next run of the reconciler [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(25);
    await account.patchEndpoint(id, { status: 'disabled' });
    await service.drain();
    expect(await held()).toHaveLength(25);
    receiver.behavior = behaviors.ok;
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.queue.purge();
    await reconcile();
    expect(await statuses()).toEqual(Array(25).fill('succeeded'));
    expect(receiver.requests).toHaveLength(25);
  });

  test('of a disabled endpoint: the calls of the reconciler do not depend on their number [CONTRACT §15]', async () => {
    const usage = countUnits(service.own.dynamo);
    const callsWith = async (count: number) => {
      account = service.account();
      const { id } = await account.createEndpoint(receiver, TYPES);
      await account.createEvents(count);
      await account.patchEndpoint(id, { status: 'disabled' });
      await reconcile();
      usage();
      await service.schedule('workers/reconcile');
      const { calls, writes } = usage();
      await account.call('DELETE', `/v1/webhook-endpoints/${id}`);
      await service.drain();
      return { calls, writes };
    };
    const one = await callsWith(1);
    expect(await callsWith(12)).toEqual(one);
    expect(one.writes).toBe(0);
  });

  test('of a deleted endpoint, and a lost message: canceled after the next run of the reconciler [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(3);
    await account.patchEndpoint(id, { status: 'disabled' });
    await service.drain();
    expect(await held()).toHaveLength(3);
    await account.call('DELETE', `/v1/webhook-endpoints/${id}`);
    await service.queue.purge();
    await reconcile();
    expect(await rows()).toEqual(Array(3).fill(expect.objectContaining({ status: 'canceled', next_attempt_at: null })));
    for (const row of await rows()) expect(row).toMatchObject({ expires_at: expect.any(Number) });
    expect(receiver.requests).toEqual([]);
  });

  test('a delivery is held after its endpoint works again: sent after the next run of the reconciler [CONTRACT §15]', async () => {
    const { id } = await failingEndpoint(0);
    await account.createEvents(1);
    const webhook_delivery_id = (await rows()).at(-1)?.['id'];
    await service.queue.purge();
    receiver.behavior = behaviors.ok;
    const recover = async () => {
      await account.act(`webhook-endpoints/${id}/test`);
      await service.drain();
      expect(await stored()).toMatchObject({ failures: 0, probe_at: 0 });
    };
    await interleave(service.own.dynamo)(recover, () =>
      service.deliver([{ account_id: account.id, webhook_delivery_id }]),
    );
    expect(await held()).toMatchObject([{ id: webhook_delivery_id, next_attempt_at: null }]);
    await reconcile();
    expect(await statusOf(webhook_delivery_id)).toBe('succeeded');
  });

  test('two messages for an endpoint at the same time: each delivery is sent once [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    await account.createEvents(12);
    await account.patchEndpoint(id, { status: 'disabled' });
    await service.drain();
    receiver.behavior = behaviors.ok;
    await account.patchEndpoint(id, { status: 'enabled' });
    const message = { account_id: account.id, webhook_endpoint_id: id };
    await service.deliver([message, message, message]);
    await service.drain();
    await reconcile();
    expect([receiver.requests.length, await held()]).toEqual([12, []]);
  });
});

describe('probes', () => {
  test('a sender that is lost before its probe: another one follows within minutes, in the same step [CONTRACT §15]', async () => {
    await failingEndpoint(3);
    await waitForProbe();
    await service.schedule('workers/reconcile');
    let lost = 0;
    const stop = watchUpdates('webhookDeliveries', (attributes) => {
      if (!attributes.includes('tries')) return;
      lost += 1;
      throw new Error('The sender is lost before its claim.');
    });
    await service.drain();
    stop();
    expect([lost, receiver.requests.length]).toEqual([1, 5]);
    expect(Number((await stored())['probe_at'])).toBeGreaterThan(Date.now());
    expect(await stored()).toMatchObject({ failures: 5, probes: 0 });
    service.moveClock(2 * MINUTE + 5);
    await reconcile();
    expect([receiver.requests.length, await stored()]).toEqual([
      6,
      expect.objectContaining({ failures: 6, probes: 1 }),
    ]);
    // The next step is half an hour.
    expect(Number((await stored())['probe_at']) - Date.now()).toBeGreaterThan(25 * MINUTE);
  });

  test('several runs of the reconciler while a probe is due: one request [CONTRACT §15]', async () => {
    const { id } = await failingEndpoint(4);
    await waitForProbe();
    await service.deliver([{ account_id: account.id, webhook_endpoint_id: id }]);
    expect(await held()).toHaveLength(3);
    for (let run = 0; run < 3; run++) await service.schedule('workers/reconcile');
    await service.drain();
    await reconcile();
    expect(receiver.requests).toHaveLength(6);
  });

  test('a probe that succeeds, and a lost message: the held deliveries are sent after the next run of the reconciler [CONTRACT §15]', async () => {
    await failingEndpoint(3);
    await waitForProbe();
    receiver.behavior = behaviors.ok;
    await service.schedule('workers/reconcile');
    for (let hop = 0; hop < 2; hop++) {
      const messages = (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
      await service.deliver(messages.filter(({ account_id }) => account_id === account.id));
    }
    await service.queue.purge();
    expect([receiver.requests.length > 5, await stored()]).toEqual([true, expect.objectContaining({ probe_at: 0 })]);
    await reconcile();
    expect(await held()).toEqual([]);
  });

  test('a test of an endpoint that fails: sent at once; a failure does not move the next probe [CONTRACT §15]', async () => {
    const { id } = await failingEndpoint(0);
    const before = await stored();
    const { json } = await account.act(`webhook-endpoints/${id}/test`);
    await service.drain();
    expect([receiver.requests.length, await stored()]).toEqual([6, before]);
    service.moveClock(10_000);
    await service.deliverDue(account);
    // Its second attempt waits like the attempts of other deliveries.
    expect(receiver.requests).toHaveLength(6);
    expect((await held()).map((row) => row['id'])).toContain(json.id);
  });

  test('a retry of a delivery while its endpoint fails: sent at once; its success resumes the held deliveries [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, TYPES);
    receiver.behavior = behaviors.ok;
    await account.createEvents(1);
    await service.drain();
    receiver.behavior = behaviors.failing;
    await account.createEvents(5);
    await service.drain();
    await account.createEvents(2);
    await service.drain();
    expect([await stored(), (await held()).length]).toEqual([expect.objectContaining({ id, failures: 5 }), 2]);
    receiver.behavior = behaviors.ok;
    const [first] = await rows();
    expect((await account.act(`webhook-deliveries/${first?.['id']}/retry`)).status).toBe(202);
    await service.drain();
    expect([receiver.requests.length, await held()]).toEqual([1 + 5 + 1 + 2, []]);
  });
});

describe('the record of failures', () => {
  test('30 failures at the same time: five count, with five updates of the endpoint [CONTRACT §15]', async () => {
    const COUNT = 30;
    const waiting: (() => void)[] = [];
    receiver.behavior = (...exchange) => {
      waiting.push(() => behaviors.failing(...exchange));
      if (waiting.length === COUNT) for (const respond of waiting) respond();
    };
    await account.createEndpoint(receiver, TYPES);
    await account.createEvents(COUNT);
    await service.queue.purge();
    let updates = 0;
    const stop = watchUpdates('webhookEndpoints', () => {
      updates += 1;
    });
    const messages = (await rows()).map(({ id }) => ({ account_id: account.id, webhook_delivery_id: id }));
    expect(await service.deliver(messages)).toBe(0);
    stop();
    expect((await rows()).map(({ step }) => step)).toEqual(Array(COUNT).fill(1));
    expect(await stored()).toMatchObject({ failures: 5, probes: 0 });
    expect(updates).toBe(5);
  });

  test.each(['gone', 'failing'] as const)(
    'the URL changes during a request to a receiver that is %s: the endpoint has no failure and stays enabled [CONTRACT §15]',
    async (answer) => {
      const { id } = await account.createEndpoint(receiver, TYPES);
      receiver.behavior = async (...exchange) => {
        await account.patchEndpoint(id, { url: `${receiver.url}/new` });
        behaviors[answer](...exchange);
      };
      await account.createEvents(1);
      await service.deliverDue(account);
      expect(await stored()).toMatchObject({ status: 'enabled', failures: 0, failing_since: 0 });
      expect(await rows()).toMatchObject([{ status: 'pending', step: 1 }]);
    },
  );

  test('a new URL: the endpoint has no failures, and gets the held deliveries at once; the same URL: changes nothing [CONTRACT §15]', async () => {
    const { id, url } = await failingEndpoint(2);
    const works = await startReceiver(behaviors.ok);
    const failing = await stored();
    await account.patchEndpoint(id, { url, description: 'x' });
    await service.drain();
    const { failures, probe_at } = failing;
    expect([await stored(), (await held()).length]).toEqual([expect.objectContaining({ failures, probe_at }), 2]);
    await account.patchEndpoint(id, { url: works.url });
    await service.drain();
    expect(await stored()).toMatchObject({ failures: 0, failing_since: 0, probes: 0, probe_at: 0 });
    expect([works.requests.length, await held()]).toEqual([2, []]);
    await works.close();
  });

  deepTest(
    'a success before a probe disables the endpoint after 120 hours of failures: it stays enabled [CONTRACT §15]',
    async () => {
      const { id } = await failingEndpoint(1);
      const since = Number((await stored())['failing_since']);
      service.moveClock(since + 121 * HOUR - Date.now());
      await service.schedule('workers/reconcile');
      let disablings = 0;
      const stop = watchUpdates('webhookEndpoints', async (attributes) => {
        if (!attributes.includes('disabled_reason')) return;
        disablings += 1;
        receiver.behavior = behaviors.ok;
        const { json } = await account.act(`webhook-endpoints/${id}/test`);
        await service.deliver([{ account_id: account.id, webhook_delivery_id: json.id }]);
        expect((await stored())['failing_since']).toBe(0);
      });
      await service.drain();
      stop();
      expect([disablings, (await stored())['status']]).toEqual([1, 'enabled']);
    },
  );
});
