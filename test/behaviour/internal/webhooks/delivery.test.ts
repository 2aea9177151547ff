import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import manifest from '#package.json' with { type: 'json' };
import { DOCUMENT } from '#shared/openapi/source.ts';
import { type Behavior, behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type Account, startWebhooks } from '#test/support/service/webhooks.ts';

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
/** On a slow machine, the time of a turn is over after one transaction, which has at most 99 changes. */
const publishInTurns = async (changes: number): Promise<void> => {
  for (let turn = 0; turn <= changes / 99; turn++) await service.dispatch(account.id);
};
const feed = async (): Promise<Answer['json'][]> => (await account.send('GET', '/v1/events?limit=100')).json.data;
const bodies = ({ requests }: Receiver) => requests.map(({ body }) => JSON.parse(body));

describe('the worker', () => {
  test('messages that are duplicated, forged or of another account: no further request [CONTRACT §15]', async () => {
    // The delivery stays pending, so a message could change it.
    const receiver = await start(behaviors.failing);
    const { id } = await account.createEndpoint(receiver);
    await account.createCustomer();
    await service.dispatch(account.id);
    const message = { account_id: account.id, webhook_endpoint_id: id };
    await Promise.all(Array.from({ length: 5 }, () => service.deliver([message, message])));
    const deliveries = await account.deliveries();
    expect(deliveries).toMatchObject([{ status: 'pending', attempts: 1 }]);
    const forged = [
      { account_id: service.account().id, webhook_endpoint_id: id },
      { account_id: account.id, webhook_endpoint_id: 1 },
    ];
    expect(await service.deliver(forged)).toBe(0);
    expect(await account.deliveries()).toEqual(deliveries);
    expect(receiver.requests).toHaveLength(1);
    expect(await service.deliver([{}, { account_id: account.id }, { ...message, webhook_endpoint_id: 'x' }])).toBe(3);
  });
});

describe('the feed', () => {
  test.each([
    ['two changes, after the first events', 1, 2],
    // More than a page of the feed has, so the first one does not contain the creation of the endpoint.
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
      await publishInTurns(changes);
      await dispatchAndDeliver();
      expect(bodies(receiver).map(({ resource_id }) => resource_id)).toEqual([last]);
    },
  );

  test('a change that only a scheduled worker finds: delivered [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    await account.createEndpoint(receiver);
    const customer = await account.createCustomer();
    await service.schedule('workers/publish-waiting-changes');
    await service.drain();
    expect(receiver.requests).toHaveLength(1);
    await account.createCustomer();
    // The events exist, but nobody has woken the endpoint.
    await feed();
    await service.schedule('workers/wake-webhook-endpoints');
    await service.drain();
    expect(bodies(receiver)).toMatchObject([{ resource_id: customer }, { type: 'customer.created' }]);
  });
});

/** Rejects members that the document does not have. */
const validatorOf = (schemas: Answer['json'], { $ref }: { $ref: string }) => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const schema = schemas[$ref.split('/').at(-1) as string];
  return ajv.compile({ ...schema, additionalProperties: false, components: { schemas } });
};

test('an event and a test: match the headers and the body in the OpenAPI document [CONTRACT §15]', async () => {
  const { webhooks, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const { parameters, requestBody, security, responses } = webhooks.event.post;
  const receiver = await start(behaviors.ok);
  const { id } = await account.createEndpoint(receiver);
  await account.createCustomer();
  await dispatchAndDeliver();
  await account.act(`webhook-endpoints/${id}/test`);
  await service.drain();
  const names = parameters.map(({ name }: { name: string }) => name);
  const [mediaType = '', ...others] = Object.keys(requestBody.content);
  const validate = validatorOf(components.schemas, requestBody.content[mediaType].schema);
  expect([security, others, Object.keys(responses).sort()]).toEqual([[], [], ['2XX', '410', 'default']]);
  for (const { method, headers, body } of receiver.requests) {
    const sent = Object.keys(headers).filter((name) => name.startsWith('webhook-'));
    expect([method, headers['content-type'], sent.sort()]).toEqual(['POST', mediaType, names.sort()]);
    expect(headers['user-agent']).toBe(`invoicing/${manifest.version}`);
    expect([validate(JSON.parse(body)), validate.errors]).toEqual([true, null]);
  }
  const [event, tested, ...further] = bodies(receiver);
  expect([event.type, tested.type, further]).toEqual(['customer.created', 'webhook.test', []]);
  expect(validate({ ...event, type: 'customer.moved' })).toBe(false);
});
