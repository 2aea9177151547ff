import { expect } from 'expect';
import { Webhook } from 'standardwebhooks';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { behaviors, type ReceivedRequest } from '#test/support/receivers/webhook-receivers.ts';
import { createCustomer } from '../support/requests.ts';
import { attempted, bodies, deliveries, eventOf, type Subscribed, signatureOf, subscribe } from './subscriptions.ts';

/** The pause begins at the end of an attempt; `last_attempt_at` is the beginning of the attempt. */
const ATTEMPT_MS = 3000;
const FAILED = { status: 'pending', attempts: 1 };
const OUTCOMES = {
  accepted: { status: 'succeeded', response_status: 202, response_body: 'queued', error: null },
  noContent: { status: 'succeeded', response_status: 204, response_body: '', error: null },
  failing: { ...FAILED, response_status: 500, response_body: 'out of order', error: { code: 'unexpected-status' } },
  notModified: { ...FAILED, response_status: 304, response_body: '', error: { code: 'unexpected-status' } },
  redirecting: { ...FAILED, response_status: 307, response_body: 'elsewhere', error: { code: 'redirect' } },
  resetting: { ...FAILED, response_status: null, response_body: null, error: { code: 'connection-failed' } },
  endless: { status: 'succeeded', response_status: 200, response_body: 'a'.repeat(1000), error: null },
} as const;

export const webhookDeliveries: Group = {
  name: 'Webhook deliveries',
  checks: [
    check(
      'CONTRACT §15',
      'an event: one signed POST of its v1 form, and a delivery that succeeded',
      async (service) => {
        await createCustomer(service, 'Before');
        const own = await subscribe(service, behaviors.ok);
        const customer = await createCustomer(service);
        const [delivery] = await deliveries(service, own, 1, 'succeeded');
        expect(own.receiver.requests).toHaveLength(1);
        const [received] = own.receiver.requests as [ReceivedRequest];
        const event = await eventOf(service, customer);
        const { method, path, headers, body } = received;
        expect([method, path, body]).toEqual(['POST', '/hooks?from=us', JSON.stringify(event)]);
        expect(headers).toEqual({
          host: new URL(own.receiver.url).host,
          connection: 'close',
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^invoicing\/\d+\.\d+\.\d+/),
          'webhook-id': `evt_${event.id}`,
          'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
          'webhook-signature': signatureOf(own.endpoint.secret, received),
        });
        expect(new Webhook(own.endpoint.secret).verify(body, headers as Record<string, string>)).toEqual(event);
        const age = Date.now() / 1000 - Number(headers['webhook-timestamp']);
        expect(Math.abs(age)).toBeLessThan(60);
        const { id, created_at, updated_at, last_attempt_at } = delivery;
        expect(delivery).toStrictEqual({
          id,
          webhook_endpoint_id: own.endpoint.id,
          event_id: event.id,
          event_type: 'customer.created',
          sequence: event.sequence,
          status: 'succeeded',
          attempts: 1,
          next_attempt_at: null,
          last_attempt_at,
          response_status: 200,
          response_body: 'received',
          error: null,
          created_at,
          updated_at,
        });
        expect([created_at, last_attempt_at, updated_at]).toEqual([created_at, last_attempt_at, updated_at].toSorted());
        const member = await service.send(`/v1/webhook-deliveries/${id}`);
        expect(member.json).toEqual(delivery);
      },
    ),
    check('CONTRACT §15', 'event_types: only these events are delivered; by default all', async (service) => {
      const none = await subscribe(service, behaviors.ok, { event_types: ['invoice.paid'] });
      const some = await subscribe(service, behaviors.ok, { event_types: ['customer.updated', 'customer.deleted'] });
      const all = await subscribe(service, behaviors.ok, { event_types: ['*'] });
      const customer = `/v1/customers/${await createCustomer(service)}`;
      await service.send(customer, { method: 'PATCH', body: { name: 'Eve' } });
      await service.send(all.path, { method: 'PATCH', body: { description: 'x' } });
      await service.send(customer, { method: 'DELETE' });
      await deliveries(service, all, 4, 'succeeded');
      await deliveries(service, some, 2, 'succeeded');
      const types = ({ receiver }: Subscribed) =>
        bodies(receiver)
          .map(({ type }) => type)
          .sort();
      const own = ['customer.created', 'customer.deleted', 'customer.updated', 'webhook_endpoint.updated'];
      expect([types(all), types(some), types(none)]).toEqual([own, ['customer.deleted', 'customer.updated'], []]);
    }),
    check('CONTRACT §2', 'events of another account: not delivered', async (service) => {
      const own = await subscribe(service, behaviors.ok);
      await service.create('/v1/customers', { name: 'Theirs' }, { account: 'other' });
      const customer = await createCustomer(service);
      await deliveries(service, own, 1, 'succeeded');
      expect(bodies(own.receiver).map(({ resource_id }) => resource_id)).toEqual([customer]);
    }),
    ...(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((name) =>
      check(
        'CONTRACT §15',
        `a receiver that is ${name}: ${OUTCOMES[name].status} after one attempt`,
        async (service) => {
          const own = await subscribe(service, behaviors[name]);
          await createCustomer(service);
          const delivery = await attempted(service, own);
          expect(delivery).toMatchObject({ attempts: 1, ...OUTCOMES[name] });
          const isPending = delivery.status === 'pending';
          const pause = isPending ? Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at) : 5000;
          expect([pause >= 4000 && pause <= 6000 + ATTEMPT_MS, delivery.next_attempt_at === null]).toEqual([
            true,
            !isPending,
          ]);
          expect(own.receiver.requests).toHaveLength(1);
          expect((await service.send(own.path)).json).toMatchObject({ status: 'enabled', disabled_reason: null });
        },
      ),
    ),
    check(
      'CONTRACT §15',
      'a failed attempt: repeated under the same webhook-id, with a new signature',
      async (service) => {
        let calls = 0;
        const own = await subscribe(service, (...exchange) =>
          (++calls === 1 ? behaviors.failing : behaviors.ok)(...exchange),
        );
        await createCustomer(service);
        const [delivery] = await deliveries(service, own, 1, 'succeeded');
        expect([delivery.attempts, delivery.error, delivery.response_status]).toEqual([2, null, 200]);
        const [first, second] = own.receiver.requests as [ReceivedRequest, ReceivedRequest];
        expect([second.headers['webhook-id'], second.body]).toEqual([first.headers['webhook-id'], first.body]);
        expect(second.headers['webhook-signature']).toBe(signatureOf(own.endpoint.secret, second));
        expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
      },
    ),
    check('CONTRACT §15', 'a receiver that responds 410: the endpoint is disabled as gone', async (service) => {
      const own = await subscribe(service, behaviors.gone);
      await createCustomer(service);
      const { json } = await service.until(own.path, (answer) => answer.json.status === 'disabled');
      expect(json.disabled_reason).toBe('gone');
      await createCustomer(service);
      const enabled = await service.send(own.path, { method: 'PATCH', body: { status: 'enabled' } });
      expect([enabled.json.status, enabled.json.disabled_reason]).toEqual(['enabled', null]);
    }),
  ],
};
