import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { behaviors, type ReceivedRequest } from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { changesBetween, snapshot } from '#test/support/state/snapshots.ts';

/* Retries, rewinds, rotations and deletions over days or with lost messages (CONTRACT §15). */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
});
afterEach(() => {
  jest.restoreAllMocks();
});

const sequences = (from = 0) => receiver.requests.slice(from).map(({ body }) => JSON.parse(body).sequence);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const deliveryOf = async (id: number) => (await account.send('GET', `/v1/webhook-deliveries/${id}`)).json;
const firstDelivery = async (): Promise<Answer['json']> => (await account.deliveries())[0];

/** Makes attempts until the first delivery has ended. */
const deliverUntilEnd = async (): Promise<void> => {
  for (;;) {
    if ((await firstDelivery()).status !== 'pending') return;
    await service.nextStep(account);
  }
};

test('a delivery whose attempt runs: the attempt counts once it has ended [CONTRACT §15]', async () => {
  const { id: endpoint } = await account.createEndpoint(receiver);
  const { json } = await account.act(`webhook-endpoints/${endpoint}/test`);
  const running: Answer['json'][] = [];
  receiver.behavior = async (...exchange) => {
    running.push(await deliveryOf(json.id));
    behaviors.ok(...exchange);
  };
  await service.drain();
  expect([json, ...running]).toMatchObject([
    { attempts: 0, response_status: null },
    { attempts: 0, response_status: null },
  ]);
  expect(await deliveryOf(json.id)).toMatchObject({ attempts: 1, response_status: 200 });
});

describe('retry', () => {
  const retry = async (id: number) => account.act(`webhook-deliveries/${id}/retry`);

  deepTest(
    'a failed delivery: 202, pending, then more attempts; the event id stays the same [CONTRACT §15]',
    async () => {
      await account.createEndpoint(receiver);
      receiver.behavior = behaviors.failing;
      await account.createEvents(1);
      await service.drain();
      // No pause is longer than its mean. Otherwise 120 hours could pass before the last attempt, and disable the endpoint.
      const { random } = Math;
      jest.spyOn(Math, 'random').mockImplementation(() => random() / 2);
      await deliverUntilEnd();
      const { id } = await firstDelivery();
      expect(await deliveryOf(id)).toMatchObject({ status: 'failed', attempts: 10 });
      const { status, headers, json } = await retry(id);
      expect([status, headers['location'], json.id, json.status]).toEqual([
        202,
        `/v1/webhook-deliveries/${id}`,
        id,
        'pending',
      ]);
      expect(Date.parse(json.next_attempt_at)).toBeLessThanOrEqual(Date.now());
      // The error of the last finished attempt stays.
      expect(json.error).toMatchObject({ code: 'unexpected-status' });
      expect((await retry(id)).json.code).toBe('delivery-not-retryable');
      let calls = 0;
      receiver.behavior = (...exchange) => (++calls < 3 ? behaviors.failing : behaviors.ok)(...exchange);
      await deliverUntilEnd();
      expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempts: 13, error: null });
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    },
  );
});

describe('rewind', () => {
  const rewind = async (id: number, sequence: number) => {
    service.moveClock(MINUTE);
    const answer = await account.act(`webhook-endpoints/${id}/rewind`, { sequence });
    const before = receiver.requests.length;
    await service.drain();
    return { answer, received: sorted(sequences(before)) };
  };

  test('to any sequence, also before the creation: each later event is sent again [CONTRACT §15]', async () => {
    await account.createEvents(3);
    const { id } = await account.createEndpoint(receiver);
    await account.createEvents(3);
    await service.drain();
    expect(sorted(sequences())).toEqual([5, 6, 7]);
    const { answer, received } = await rewind(id, 5);
    expect([answer.status, answer.json.id, answer.headers['etag'], received]).toEqual([200, id, '"1"', [6, 7]]);
    expect((await rewind(id, 1)).received).toEqual([2, 3, 4, 5, 6, 7]);
    expect((await rewind(id, 0)).received).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const sequence of [7, 8, 1000, Number.MAX_SAFE_INTEGER])
      expect([sequence, (await rewind(id, sequence)).received]).toEqual([sequence, []]);
    await account.createEvents(1);
    const before = receiver.requests.length;
    await service.drain();
    expect(sequences(before)).toEqual([8]);
  });

  test('of an endpoint that was just created: also the events before it [CONTRACT §15]', async () => {
    await account.createEvents(2);
    const { id } = await account.createEndpoint(receiver);
    expect((await rewind(id, 0)).received).toEqual([1, 2]);
    await account.createEvents(1);
    const before = receiver.requests.length;
    await service.drain();
    expect(sorted(sequences(before))).toEqual([3, 4]);
  });

  test('of an endpoint that was just created, to an event that the client has read in the feed: also the later ones before it [CONTRACT §15]', async () => {
    for (let i = 0; i < 3; i++) await account.createCustomer();
    const { id } = await account.createEndpoint(receiver, { event_types: ['customer.created'] });
    expect((await account.send('GET', '/v1/events')).json.data).toHaveLength(4);
    const { received } = await rewind(id, 1);
    expect(received).toEqual(expect.arrayContaining([2, 3]));
    await service.dispatch(account.id);
    await service.drain();
    expect(receiver.requests).toHaveLength(received.length);
  });

  test('of a disabled endpoint: the events are sent after it is enabled [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, { event_types: ['customer.created'] });
    await account.createEvents(2);
    await service.drain();
    await account.patchEndpoint(id, { status: 'disabled' });
    expect((await rewind(id, 0)).received).toEqual([]);
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.drain();
    expect(sorted(sequences())).toEqual([2, 2, 3, 3]);
  });

  test('again within a minute: 429 with Retry-After, and nothing changes; a repeated key is replayed [CONTRACT §8, CONTRACT §15]', async () => {
    await account.createEvents(2);
    const { id } = await account.createEndpoint(receiver);
    await account.createEvents(1);
    const path = `/v1/webhook-endpoints/${id}/rewind`;
    const headers = { 'idempotency-key': randomUUID() };
    const first = await account.send('POST', path, { sequence: 2 }, headers);
    const stored = await rowsOf(service, 'webhookEndpoints', account.id);
    expect(first.status).toBe(200);
    expect(stored).toMatchObject([{ version: 1, updated_at: first.json.updated_at, position: 2 }]);
    for (const query of ['', '?dry_run=true']) {
      const { status, headers: answered, json } = await account.send('POST', path + query, { sequence: 0 });
      expect([status, json.code]).toEqual([429, 'too-many-rewinds']);
      expect(answered['retry-after']).toMatch(/^(60|[1-5]?\d)$/);
      expect(Number(answered['retry-after'])).toBeGreaterThan(0);
    }
    const replay = await account.send('POST', path, { sequence: 2 }, headers);
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await rowsOf(service, 'webhookEndpoints', account.id)).toEqual(stored);
    const other = await account.createEndpoint(receiver);
    expect((await account.act(`webhook-endpoints/${other.id}/rewind`, { sequence: 0 })).status).toBe(200);
    service.moveClock(MINUTE);
    expect((await account.send('POST', path, { sequence: 0 })).status).toBe(200);
  });

  test('a dry run in a feed of 60 events without a page index: stores nothing [CONTRACT §13]', async () => {
    await account.createEvents(60);
    const { id } = await account.createEndpoint(receiver);
    await service.dispatch(account.id);
    const before = await snapshot(service);
    const answer = await account.act(`webhook-endpoints/${id}/rewind?dry_run=true`, { sequence: 50 });
    expect([answer.status, changesBetween(before, await snapshot(service))]).toEqual([200, []]);
  });
});

describe('rotation', () => {
  const isVerified = (secret: string, { body, headers }: ReceivedRequest): boolean => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  test('for 24 hours, receivers with the old or the new secret accept; then only those with the new one [CONTRACT §15]', async () => {
    const { id, secret: old } = await account.createEndpoint(receiver);
    const { secret: current } = (await account.act(`webhook-endpoints/${id}/rotate-secret`)).json;
    const accepted = async () => {
      const before = receiver.requests.length;
      await account.createEvents(1);
      await service.drain();
      const received = receiver.requests.slice(before);
      const signatures = received.map(({ headers }) => headers['webhook-signature']?.split(' ').length);
      return { signatures, accept: [old, current].map((secret) => received.every((one) => isVerified(secret, one))) };
    };
    // The event of the rotation is the first.
    expect(await accepted()).toEqual({ signatures: [2, 2], accept: [true, true] });
    service.moveClock(23.9 * HOUR);
    expect(await accepted()).toEqual({ signatures: [2], accept: [true, true] });
    service.moveClock(0.2 * HOUR);
    expect(await accepted()).toEqual({ signatures: [1], accept: [false, true] });
  });
});

describe('deletion', () => {
  test('deliveries that are pending: are canceled without a request [CONTRACT §15]', async () => {
    receiver.behavior = behaviors.failing;
    const { id } = await account.createEndpoint(receiver);
    const kept = await account.createEndpoint(receiver, { event_types: ['customer.created'] });
    await account.createEvents(3);
    await service.drain();
    const before = receiver.requests.length;
    expect((await account.send('DELETE', `/v1/webhook-endpoints/${id}`)).status).toBe(204);
    await service.drain();
    const found = await account.deliveries(`&webhook_endpoint_id=${id}`);
    expect(found.map(({ status, attempts, next_attempt_at }) => [status, attempts, next_attempt_at])).toEqual(
      Array(4).fill(['canceled', 1, null]),
    );
    expect(receiver.requests).toHaveLength(before);
    expect(await account.deliveries(`&webhook_endpoint_id=${kept.id}&status=pending`)).toHaveLength(3);
  });
});
