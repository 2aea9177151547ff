import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { behaviors, type ReceivedRequest } from '#test/support/receivers/webhook-receivers.ts';
import { createCustomer, totalOf } from '../support/requests.ts';
import type { Row } from '../support/rows.ts';
import {
  act,
  attempted,
  bodies,
  deliveries,
  deliveriesOf,
  eventOf,
  type Subscribed,
  signatureOf,
  subscribe,
} from './subscriptions.ts';

export const webhookEndpointActions: Group = {
  name: 'Webhook endpoints and their deliveries',
  checks: [
    check('CONTRACT §15', 'disabled, then enabled: the events in between are delivered', async (service) => {
      const [own, enabled] = [await subscribe(service, behaviors.ok), await subscribe(service, behaviors.ok)];
      await createCustomer(service);
      await deliveries(service, own, 1, 'succeeded');
      await service.send(own.path, { method: 'PATCH', body: { status: 'disabled' } });
      const while_disabled = [await createCustomer(service), await createCustomer(service)];
      await deliveries(service, enabled, 3, 'succeeded');
      expect((await service.send(deliveriesOf(own))).json.data).toHaveLength(1);
      expect(own.receiver.requests).toHaveLength(1);
      await service.send(own.path, { method: 'PATCH', body: { status: 'enabled' } });
      await deliveries(service, own, 3, 'succeeded');
      const received = bodies(own.receiver)
        .slice(1)
        .map(({ resource_id }) => resource_id);
      expect(received.sort()).toEqual(while_disabled.sort());
    }),
    check('CONTRACT §15', 'two rotations: each valid secret signs, first two and then three', async (service) => {
      const own = await subscribe(service, behaviors.ok);
      const secrets = [own.endpoint.secret];
      for (let rotation = 1; rotation <= 2; rotation++) {
        const { status, json } = await act(service, `${own.path}/rotate-secret`);
        expect([status, secrets.includes(json.secret)]).toEqual([200, false]);
        secrets.push(json.secret);
        await createCustomer(service);
        await deliveries(service, own, rotation, 'succeeded');
        const received = own.receiver.requests.at(-1) as ReceivedRequest;
        const signatures = received.headers['webhook-signature']?.split(' ') ?? [];
        expect(signatures.sort()).toEqual(secrets.map((secret) => signatureOf(secret, received)).sort());
      }
    }),
    check('CONTRACT §15', 'a test: 202, and a signed webhook.test that is not in the feed', async (service) => {
      const own = await subscribe(service, behaviors.ok);
      const before = await totalOf(service, '/events');
      const { status, json } = await act(service, `${own.path}/test`);
      const expected = { event_id: null, event_type: 'webhook.test', sequence: null, status: 'pending' };
      expect([status, json]).toEqual([202, expect.objectContaining(expected)]);
      await deliveries(service, own, 1, 'succeeded');
      const [received] = own.receiver.requests as [ReceivedRequest];
      expect(received.headers['webhook-id']).toBe(`evt_test_${json.id}`);
      expect(received.headers['webhook-signature']).toBe(signatureOf(own.endpoint.secret, received));
      const event = JSON.parse(received.body);
      const actor = await service.subject();
      const test = { id: null, sequence: null, type: 'webhook.test', resource_id: own.endpoint.id, actor };
      expect(event).toMatchObject(test);
      const feedEvent = await eventOf(service, own.endpoint.id);
      expect(Object.keys(event).sort()).toEqual(Object.keys(feedEvent).sort());
      expect(await totalOf(service, '/events')).toBe(before);
    }),
    check(
      'CONTRACT §15',
      'a rewind: every subscribed event after the sequence is delivered again; a second rewind within a minute is 429',
      async (service) => {
        const first = await eventOf(service, await createCustomer(service));
        const second = await eventOf(service, await createCustomer(service));
        const own = await subscribe(service, behaviors.ok);
        const third = await eventOf(service, await createCustomer(service));
        await deliveries(service, own, 1, 'succeeded');
        const rewound = await act(service, `${own.path}/rewind`, { sequence: first.sequence });
        expect([rewound.status, rewound.json.id, rewound.headers['etag']]).toEqual([200, own.endpoint.id, '"1"']);
        await deliveries(service, own, 3, 'succeeded');
        const sequences = bodies(own.receiver).map(({ sequence }) => sequence);
        expect(sequences.sort()).toEqual([second.sequence, third.sequence, third.sequence].sort());
        const again = await act(service, `${own.path}/rewind`, { sequence: 9_007_199_254_740_991 });
        expect([again.status, again.json.code]).toEqual([429, 'too-many-rewinds']);
        expect(Number(again.headers['retry-after'])).toBeGreaterThan(0);
        const later = await createCustomer(service);
        await deliveries(service, own, 4, 'succeeded');
        expect(bodies(own.receiver).at(-1).resource_id).toBe(later);
      },
    ),
    check('CONTRACT §15', 'a retry: 202 and sent again; 409 while pending, disabled or deleted', async (service) => {
      const own = await subscribe(service, behaviors.ok);
      await createCustomer(service);
      const [{ id }] = (await deliveries(service, own, 1, 'succeeded')) as [Row];
      const delivery = `/v1/webhook-deliveries/${id}`;
      const again = await act(service, `${delivery}/retry`);
      expect([again.status, again.headers['location'], again.json.id, again.json.status]).toEqual([
        202,
        delivery,
        id,
        'pending',
      ]);
      await service.until(delivery, ({ json }) => json.status === 'succeeded' && json.attempts === 2);
      const [first, second] = own.receiver.requests as [ReceivedRequest, ReceivedRequest];
      expect([second.headers['webhook-id'], second.body]).toEqual([first.headers['webhook-id'], first.body]);
      const refused = async (target = delivery) => {
        const { status, json } = await act(service, `${target}/retry`);
        expect([status, json.code]).toEqual([409, 'delivery-not-retryable']);
      };
      const failing = await subscribe(service, behaviors.failing);
      await createCustomer(service);
      await refused(`/v1/webhook-deliveries/${(await attempted(service, failing)).id}`);
      await service.send(own.path, { method: 'PATCH', body: { status: 'disabled' } });
      await refused();
      await service.send(own.path, { method: 'DELETE' });
      await refused();
      expect((await service.send(delivery)).json).toMatchObject({ status: 'succeeded', attempts: 2 });
    }),
    check('CONTRACT §15', 'a deleted endpoint: its pending deliveries are canceled', async (service) => {
      const own = await subscribe(service, behaviors.failing);
      await createCustomer(service);
      const { next_attempt_at } = await attempted(service, own);
      expect((await service.send(own.path, { method: 'DELETE' })).status).toBe(204);
      const [canceled] = (await deliveries(service, own, 1, 'canceled')) as [Row];
      expect(canceled.updated_at < next_attempt_at).toBe(true);
      expect(canceled).toMatchObject({ attempts: 1, next_attempt_at: null });
      expect(own.receiver.requests).toHaveLength(1);
    }),
    check('CONTRACT §15', 'deliveries by endpoint, by status and by both: only the matching ones', async (service) => {
      const [good, bad] = [await subscribe(service, behaviors.ok), await subscribe(service, behaviors.failing)];
      await createCustomer(service);
      await deliveries(service, good, 1, 'succeeded');
      await attempted(service, bad);
      const count = async (own: Subscribed, status: string) =>
        (await service.send(deliveriesOf(own, `&status=${status}`))).json.data.length;
      expect([await count(good, 'succeeded'), await count(good, 'pending')]).toEqual([1, 0]);
      expect([await count(bad, 'succeeded'), await count(bad, 'pending'), await count(bad, 'failed')]).toEqual([
        0, 1, 0,
      ]);
      const { json } = await service.send('/v1/webhook-deliveries?status=pending&sort=-id&limit=1');
      expect(json.data[0].webhook_endpoint_id).toBe(bad.endpoint.id);
    }),
  ],
};
