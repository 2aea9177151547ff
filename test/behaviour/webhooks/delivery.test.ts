import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import {
  type Behavior,
  behaviors,
  type Receiver,
  respond,
  startReceiver,
} from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/service.ts';
import { type Account, startWebhooks } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/** More than the feed has on a page. */
const EVENTS = isDeep ? 250 : 30;

let account: Account;
let receivers: Receiver[];

const start = async (behavior: Behavior): Promise<Receiver> => {
  const receiver = await startReceiver(behavior);
  receivers.push(receiver);
  return receiver;
};

const service = await startWebhooks();
afterAll(() => service.stop());
beforeEach(async () => {
  await service.queue.purge();
  account = service.account();
  receivers = [];
});
afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

const dispatchAndDeliver = async (): Promise<void> => {
  await service.dispatch(account.id);
  await service.drain();
};
const feed = async (): Promise<Answer['json'][]> => (await account.call('GET', '/v1/events?limit=100')).json.data;
const bodies = ({ requests }: Receiver) => requests.map(({ body }) => JSON.parse(body));

describe('a delivery', () => {
  deepTest(
    '40 events for each of 20 endpoints: all are dispatched at once, although random ids collide [CONTRACT §15]',
    async () => {
      const url = 'https://example.com/hooks';
      for (let i = 0; i < 20; i++) await account.createEndpoint({ url }, { event_types: ['customer.created'] });
      await service.dispatch(account.id);
      for (let i = 0; i < 40; i++) await account.createCustomer();
      // All endpoints choose their ids in the same millisecond of this clock.
      service.moveClock(1);
      await service.dispatch(account.id).finally(() => jest.useRealTimers());
      expect(await rowsOf(service, 'webhookDeliveries', account.id)).toHaveLength(20 * 40);
    },
  );

  test('before its first attempt: pending and due at once; a filter of the list finds it [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    const [first, second] = [await account.createEndpoint(receiver), await account.createEndpoint(receiver)];
    await account.createCustomer();
    await service.dispatch(account.id);
    const mine = await account.deliveries(`&webhook_endpoint_id=${second.id}`);
    expect(mine).toMatchObject([
      { event_type: 'customer.created', status: 'pending', attempts: 0, last_attempt_at: null, response_status: null },
    ]);
    expect(mine[0].next_attempt_at).toBe(mine[0].created_at);
    expect(await account.deliveries('&status=pending')).toHaveLength(3);
    expect(await account.deliveries(`&status=pending&webhook_endpoint_id=${first.id}`)).toHaveLength(2);
    expect(await account.deliveries(`&status=failed&webhook_endpoint_id=${first.id}`)).toEqual([]);
    await service.drain();
    expect(await account.deliveries(`&status=succeeded&webhook_endpoint_id=${first.id}`)).toHaveLength(2);
  });

  test('messages that are duplicated, forged or of another account: no further request [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    const { id } = await account.createEndpoint(receiver);
    await account.createCustomer();
    await service.dispatch(account.id);
    const [{ id: webhook_delivery_id }] = (await account.deliveries()) as [Answer['json']];
    const message = { account_id: account.id, webhook_delivery_id };
    await Promise.all(Array.from({ length: 5 }, () => service.deliver([message, message])));
    const other = service.account().id;
    const forged = [
      { ...message, account_id: other },
      { account_id: other, webhook_endpoint_id: id },
      { account_id: account.id, webhook_delivery_id: 1 },
    ];
    expect(await service.deliver(forged)).toBe(0);
    expect(receiver.requests).toHaveLength(1);
    expect(await service.deliver([{}, { account_id: account.id }, { ...message, webhook_delivery_id: 'x' }])).toBe(3);
  });
});

describe('the dispatcher', () => {
  test.each([
    ['two changes, after the first events', 1, 2],
    // More than a transaction of the dispatcher has, so the first one does not contain the creation of the endpoint.
    ['a hundred changes', 0, 100],
  ])(
    '%s, committed before the endpoint and not yet in the feed: not delivered [CONTRACT §15]',
    async (_, events, changes) => {
      const receiver = await start(behaviors.ok);
      for (let i = 0; i < events; i++) await account.createCustomer();
      if (events > 0) await feed();
      for (let i = 0; i < changes; i++) await account.createCustomer();
      await account.createEndpoint(receiver);
      const last = await account.createCustomer();
      // On a slow engine, the time of a turn is over after the first transaction.
      await service.dispatch(account.id);
      await dispatchAndDeliver();
      expect(bodies(receiver).map(({ resource_id }) => resource_id)).toEqual([last]);
    },
  );

  test('a rewind, after which another dispatcher reaches the same position again: a slower dispatcher changes nothing [CONTRACT §15]', async () => {
    // The endpoint is created with the head 100, at which a dispatcher arrives again after a rewind to 1.
    for (let i = 0; i < 100; i++) await account.createCustomer();
    await feed();
    const receiver = await start(behaviors.ok);
    const { id } = await account.createEndpoint(receiver);
    await feed();
    const rewindAndReturn = async () => {
      expect((await account.act(`webhook-endpoints/${id}/rewind`, { sequence: 1 })).status).toBe(200);
      let moves = 0;
      // The other dispatcher is lost after its first transaction.
      const isSecond = ({ TransactItems }: TransactWriteCommandInput) => TransactItems && ++moves > 1;
      const { middlewareStack } = service.own.dynamo;
      middlewareStack.add(
        (next) => async (call) => {
          if (isSecond(call.input as TransactWriteCommandInput)) throw new Error('The dispatcher is lost.');
          return next(call);
        },
        { step: 'initialize', name: 'lost' },
      );
      await service.dispatch(account.id);
      middlewareStack.remove('lost');
      const [endpoint] = await rowsOf(service, 'webhookEndpoints', account.id);
      expect(endpoint).toMatchObject({ position: 100, is_started: true });
    };
    await interleave(service.own.dynamo)(rewindAndReturn, () => service.dispatch(account.id));
    await service.dispatch(account.id);
    const delivered = (await rowsOf(service, 'webhookDeliveries', account.id)).map(({ sequence }) => Number(sequence));
    expect(delivered.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i + 2));
  });

  test(`${EVENTS} events, and three dispatchers at once: each event is delivered once [CONTRACT §15]`, async () => {
    const receiver = await start(behaviors.ok);
    await account.createEndpoint(receiver);
    await account.createEndpoint(receiver, { event_types: ['customer.updated'] });
    const customer = await account.createCustomer();
    for (let i = 0; i < EVENTS - 1; i++) await account.call('PATCH', `/v1/customers/${customer}`, { name: `n${i}` });
    await Promise.all([1, 2, 3].map(() => service.dispatch(account.id)));
    await service.dispatch(account.id);
    await service.drain();
    const sequences = bodies(receiver).map(({ sequence }) => sequence);
    expect([sequences.length, new Set(sequences).size]).toEqual([1 + EVENTS + EVENTS - 1, EVENTS + 1]);
  });

  test('five dispatchers at once: each sends its transaction once, and a dispatcher that loses leaves the rest to the winner [CONTRACT §15]', async () => {
    await account.createEndpoint(await start(behaviors.ok));
    for (let i = 0; i < 3; i++) await account.createCustomer();
    await feed();
    const tokens = new Set<string | undefined>();
    service.own.dynamo.middlewareStack.add(
      (next) => async (call) => {
        const { TransactItems = [], ClientRequestToken } = call.input as TransactWriteCommandInput;
        if (TransactItems.some(({ Put }) => Put?.TableName === 'webhookDeliveries')) tokens.add(ClientRequestToken);
        return next(call);
      },
      { step: 'initialize', name: 'tokens' },
    );
    await Promise.all(Array.from({ length: 5 }, () => service.dispatch(account.id)));
    service.own.dynamo.middlewareStack.remove('tokens');
    expect(tokens.size).toBeLessThanOrEqual(5);
    expect(await account.deliveries()).toHaveLength(3);
  });

  test('a change that only the scheduled worker finds: delivered [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    await account.createEndpoint(receiver);
    const customer = await account.createCustomer();
    await service.schedule('workers/publish-waiting-changes');
    await service.drain();
    await account.createCustomer();
    // The events exist, but no dispatcher has run.
    await feed();
    await service.schedule('workers/publish-waiting-changes');
    await service.drain();
    expect(bodies(receiver)).toMatchObject([{ resource_id: customer }, { type: 'customer.created' }]);
  });
});

describe('receivers', () => {
  /** Makes one attempt, and returns the delivery. */
  const attempt = async (behavior: Behavior): Promise<Answer['json']> => {
    await account.createEndpoint(await start(behavior));
    await account.createCustomer();
    await service.dispatch(account.id);
    await service.deliverDue(account);
    return (await account.deliveries())[0];
  };

  test('a receiver that does not respond: timeout after the deadline of an attempt [CONTRACT §15]', async () => {
    const schedule = setTimeout;
    // The deadline comes after 1 s instead of 15 s.
    const deadline = jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((act, ms, ...rest) => schedule(act, ms === 15_000 ? 1000 : ms, ...rest));
    const delivery = await attempt(behaviors.hanging);
    deadline.mockRestore();
    expect(delivery).toMatchObject({
      ...{ status: 'pending', attempts: 1, last_attempt_at: expect.any(String) },
      ...{ error: { code: 'timeout' }, response_status: null, response_body: null },
    });
  });

  test('a response body of 2,000 characters of four bytes: the delivery stores the first 1,000 [CONTRACT §15]', async () => {
    expect(await attempt(respond(200, {}, '😀'.repeat(2000)))).toMatchObject({
      status: 'succeeded',
      response_body: '😀'.repeat(1000),
    });
  });

  test('a receiver that resets the connection: connection-failed; after a later attempt succeeds, the error is null [CONTRACT §15]', async () => {
    let isWorking = false;
    const receiver = await start((...exchange) => (isWorking ? behaviors.ok : behaviors.resetting)(...exchange));
    await account.createEndpoint(receiver);
    await account.createCustomer();
    await dispatchAndDeliver();
    expect(await account.deliveries()).toMatchObject([{ error: { code: 'connection-failed' }, attempts: 1 }]);
    isWorking = true;
    service.moveClock(7000);
    await service.deliverDue(account);
    expect(await account.deliveries()).toMatchObject([{ status: 'succeeded', error: null, attempts: 2 }]);
  });
});
