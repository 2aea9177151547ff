import { describe, expect, test } from '@jest/globals';
import { behaviors, type ReceivedRequest } from '#test/support/receivers/webhook-receivers.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';
import { changesBetween, snapshot } from '#test/support/state/snapshots.ts';
import { signatureOf } from '../../webhooks/subscriptions.ts';

/* Rewinds and rotations over time (CONTRACT §15). */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TYPES = { event_types: ['customer.created'] };

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
});

const sequences = (from = 0) => receiver.requests.slice(from).map(({ body }) => JSON.parse(body).sequence);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

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
    service.moveClock(50_000);
    const early = await account.act(`webhook-endpoints/${id}/rewind`, { sequence: 1 });
    expect([early.status, Number(early.headers['retry-after']) <= 10]).toEqual([429, true]);
    expect((await rewind(id, 1)).received).toEqual([2, 3, 4, 5, 6, 7]);
    expect((await rewind(id, 0)).received).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const sequence of [7, 8, 1000, Number.MAX_SAFE_INTEGER])
      expect([sequence, (await rewind(id, sequence)).received]).toEqual([sequence, []]);
    await account.createEvents(1);
    const before = receiver.requests.length;
    await service.drain();
    expect(sequences(before)).toEqual([8]);
  });

  test('of an endpoint that was just created, to an event that the client has read in the feed: also the later ones before it [CONTRACT §15]', async () => {
    for (let i = 0; i < 3; i++) await account.createCustomer();
    const { id } = await account.createEndpoint(receiver, TYPES);
    expect((await account.send('GET', '/v1/events')).json.data).toHaveLength(4);
    const { received } = await rewind(id, 1);
    expect(received).toEqual(expect.arrayContaining([2, 3]));
    await service.dispatch(account.id);
    await service.drain();
    expect(receiver.requests).toHaveLength(received.length);
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

test('a rotation: the old secret also signs for 24 hours [CONTRACT §15]', async () => {
  const { id, secret } = await account.createEndpoint(receiver, TYPES);
  await account.act(`webhook-endpoints/${id}/rotate-secret`);
  const isOldAfter = async (hours: number) => {
    service.moveClock(hours * HOUR);
    await account.createEvents(1);
    await service.drain();
    const received = receiver.requests.at(-1) as ReceivedRequest;
    const signatures = received.headers['webhook-signature']?.split(' ') ?? [];
    return signatures.map((signature) => signature === signatureOf(secret, received));
  };
  expect([await isOldAfter(0), await isOldAfter(23.9), await isOldAfter(0.2)]).toEqual([
    [false, true],
    [false, true],
    [false],
  ]);
});
