import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { behaviors, type Receiver, startReceiver } from '#test/support/webhook-receivers.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/webhooks.ts';

let service: Webhooks;
let account: Account;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhooks();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.queue.purge();
  account = service.account();
  receiver = await startReceiver(behaviors.ok);
});
afterEach(() => receiver.close());

describe('a delivery [CONTRACT §15]', () => {
  test('an event after the creation of the endpoint: one signed POST of its v1 form', async () => {
    await account.createCustomer('Before');
    const { secret } = await account.createEndpoint({ url: receiver.url });
    const customer = await account.createCustomer('After');
    await service.dispatch(account.id);
    await service.drain();
    expect(receiver.requests).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.requests;
    const [event] = (await account.call('GET', '/v1/events?sort=-id&limit=1')).json.data;
    expect(JSON.parse(body)).toEqual(event);
    expect(event).toMatchObject({ type: 'customer.created', resource_id: customer });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': `evt_${event.id}` });
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
    const [delivery, ...others] = await account.deliveries();
    expect([others, delivery]).toEqual([[], expect.objectContaining({ status: 'succeeded', attempts: 1 })]);
  });
});
