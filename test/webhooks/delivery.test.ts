import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { deepTest } from '#test/support/deep-test.ts';
import { isDeep } from '#test/support/extent.ts';
import { interleave } from '#test/support/interleave.ts';
import { rowsOf } from '#test/support/invariants.ts';
import type { Answer } from '#test/support/service.ts';
import { behaviors, type Receiver, respond, startReceiver } from '#test/support/webhook-receivers.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/webhooks.ts';

/** More than the feed has on a page. */
const EVENTS = isDeep ? 250 : 30;

let service: Webhooks;
let account: Account;
let receivers: Receiver[];

const start = async (behavior: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const receiver = await startReceiver(behavior);
  receivers.push(receiver);
  return receiver;
};

beforeAll(async () => {
  service = await startWebhooks();
});
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
const types = (receiver: Receiver) => bodies(receiver).map(({ type }) => type);

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

describe('subscriptions', () => {
  test('event_types: only these events; all types by default, also changes of the endpoint [CONTRACT §15]', async () => {
    const [all, some, none] = [await start(behaviors.ok), await start(behaviors.ok), await start(behaviors.ok)];
    await account.createEndpoint(none, { event_types: ['invoice.paid'] });
    await account.createEndpoint(some, { event_types: ['customer.updated', 'customer.deleted'] });
    const { id } = await account.createEndpoint(all);
    const customer = await account.createCustomer();
    await account.call('PATCH', `/v1/customers/${customer}`, { name: 'Eve' });
    await account.patchEndpoint(id, { description: 'x' });
    await account.call('DELETE', `/v1/customers/${customer}`);
    await dispatchAndDeliver();
    const expected = ['customer.created', 'customer.deleted', 'customer.updated', 'webhook_endpoint.updated'];
    expect(types(all).sort()).toEqual(expected);
    expect(types(some).sort()).toEqual(['customer.deleted', 'customer.updated']);
    expect(none.requests).toEqual([]);
    expect(await account.deliveries()).toHaveLength(6);
  });

  test('changes that were committed before the endpoint, but not yet events: not delivered [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    await account.createCustomer('a');
    await feed();
    await account.createCustomer('b');
    await account.createCustomer('c');
    await account.createEndpoint(receiver);
    const last = await account.createCustomer('d');
    await dispatchAndDeliver();
    expect(bodies(receiver).map(({ resource_id }) => resource_id)).toEqual([last]);
  });

  test('a hundred changes that were committed before the endpoint, but not yet events: not delivered [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    // More than a transaction of the dispatcher has, so the first one does not contain the creation of the endpoint.
    for (let i = 0; i < 100; i++) await account.createCustomer();
    await account.createEndpoint(receiver);
    const last = await account.createCustomer();
    await dispatchAndDeliver();
    expect(bodies(receiver).map(({ resource_id }) => resource_id)).toEqual([last]);
  });

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
  }, 60_000);

  test('five dispatchers at once: each sends its transaction once, and those that lose leave the rest to the winner [CONTRACT §15]', async () => {
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

  test('events of another account: never delivered [CONTRACT §2]', async () => {
    const receiver = await start(behaviors.ok);
    await account.createEndpoint(receiver);
    const other = service.account();
    await other.createCustomer();
    await Promise.all([service.dispatch(other.id), service.dispatch(account.id)]);
    await service.schedule('workers/publish-waiting-changes');
    await service.drain();
    expect(receiver.requests).toEqual([]);
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

const SUCCESS = { status: 'succeeded', error: null, next_attempt_at: null };
const failed = (code: string) => ({ status: 'pending', error: { code, detail: expect.any(String) } });
const WITHOUT_RESPONSE = { response_status: null, response_body: null };
const responded = (response_status: number, response_body: string) => ({ response_status, response_body });

/** The delivery after its first attempt, for each receiver. */
const OUTCOMES: Readonly<Record<keyof typeof behaviors, object>> = {
  ok: { ...SUCCESS, ...responded(200, 'received') },
  accepted: { ...SUCCESS, ...responded(202, 'queued') },
  noContent: { ...SUCCESS, ...responded(204, '') },
  notModified: { ...failed('unexpected-status'), ...responded(304, '') },
  gone: { ...failed('unexpected-status'), ...responded(410, 'no longer here') },
  failing: { ...failed('unexpected-status'), ...responded(500, 'out of order') },
  throttling: { ...failed('unexpected-status'), ...responded(429, 'too fast') },
  redirecting: { ...failed('redirect'), ...responded(307, 'elsewhere') },
  settingCookies: { ...SUCCESS, ...responded(200, '') },
  hanging: { ...failed('timeout'), ...WITHOUT_RESPONSE },
  resetting: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  closing: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  slowHeaders: { ...failed('timeout'), ...WITHOUT_RESPONSE },
  slowBody: { ...SUCCESS, response_status: 200, response_body: expect.stringMatching(/^slow a+$/) },
  endless: { ...SUCCESS, ...responded(200, 'a'.repeat(1000)) },
  brokenBody: { ...SUCCESS, ...responded(200, 'broken') },
  brokenChunks: { ...SUCCESS, ...responded(200, 'abc') },
  hugeHeaders: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  noHttp: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  noStatus: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  oldHttp: { ...SUCCESS, ...responded(200, 'old') },
  informing: { ...SUCCESS, ...responded(200, 'ok') },
  onlyInforming: { ...failed('timeout'), ...WITHOUT_RESPONSE },
  endlesslyInforming: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  endlessLines: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  endlessChunkSize: { ...SUCCESS, ...responded(200, '') },
  upgrading: { ...failed('connection-failed'), ...WITHOUT_RESPONSE },
  offeringUpgrade: { ...SUCCESS, ...responded(200, 'ok') },
};

describe('receivers', () => {
  /** Makes one attempt, and returns the delivery and its endpoint. */
  const attempt = async (behavior: Parameters<typeof start>[0]): Promise<Answer['json'][]> => {
    const own = service.account();
    const { id } = await own.createEndpoint(await start(behavior));
    await own.createCustomer();
    await service.dispatch(own.id);
    await service.deliverDue(own);
    const [delivery] = await own.deliveries();
    return [delivery, (await own.call('GET', `/v1/webhook-endpoints/${id}`)).json];
  };

  /** The deadline of an attempt comes after 3 s instead of 15 s. */
  const shortenDeadline = () => {
    const schedule = setTimeout;
    return jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((act, ms, ...rest) => schedule(act, ms === 15_000 ? 3000 : ms, ...rest));
  };

  const REST = { attempts: 1, last_attempt_at: expect.any(String) };

  test('each behavior: its outcome after one attempt; only 410 disables the endpoint [CONTRACT §15]', async () => {
    const names = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[];
    const deadline = shortenDeadline();
    const outcomes = await Promise.all(names.map(async (name) => [name, ...(await attempt(behaviors[name]))]));
    deadline.mockRestore();
    expect(outcomes).toEqual(
      names.map((name) => [
        name,
        expect.objectContaining({ ...REST, ...OUTCOMES[name] }),
        expect.objectContaining({ disabled_reason: name === 'gone' ? 'gone' : null }),
      ]),
    );
    expect(receivers.map(({ requests }) => requests.length)).toEqual(names.map(() => 1));
  }, 60_000);

  test('a body of 2,000 characters of four bytes: the first 1,000 [CONTRACT §15]', async () => {
    const [delivery] = await attempt(respond(200, {}, '😀'.repeat(2000)));
    expect(delivery).toMatchObject({ status: 'succeeded', response_body: '😀'.repeat(1000) });
  });

  test('a receiver that is not there: connection-failed; with another attempt that succeeds, the error is null [CONTRACT §15]', async () => {
    let isWorking = false;
    const receiver = await start((...exchange) => (isWorking ? behaviors.ok : behaviors.resetting)(...exchange));
    await account.createEndpoint(receiver);
    await account.createCustomer();
    await dispatchAndDeliver();
    expect(await account.deliveries()).toMatchObject([{ error: { code: 'connection-failed' }, attempts: 1 }]);
    isWorking = true;
    service.moveClock(7000);
    await service.deliverDue(account);
    expect(await account.deliveries()).toMatchObject([{ ...OUTCOMES.ok, attempts: 2 }]);
  });
});
