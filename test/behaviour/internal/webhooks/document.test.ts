import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import manifest from '#package.json' with { type: 'json' };
import { DOCUMENT } from '#shared/openapi/source.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const { parameters, requestBody, security, responses } = document.webhooks.event.post;

let service: Webhooks;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startWebhooks(), startReceiver(behaviors.ok)]);
});
afterAll(() => Promise.all([service.stop(), receiver.close()]));

/** Rejects members that the document does not have. */
const validatorOf = ({ $ref }: { $ref: string }) => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const schema = document.components.schemas[$ref.split('/').at(-1) as string];
  return ajv.compile({ ...schema, additionalProperties: false, components: document.components });
};

test('an event and a test that the service sends: match the headers and the body in the OpenAPI document [CONTRACT §15]', async () => {
  const account = service.account();
  const { id } = await account.createEndpoint({ url: receiver.url });
  await account.createCustomer();
  await service.dispatch(account.id);
  await service.drain();
  await account.send('POST', `/v1/webhook-endpoints/${id}/test`);
  await service.drain();
  const names = parameters.map(({ name }: { name: string }) => name);
  const [mediaType = '', ...others] = Object.keys(requestBody.content);
  const validate = validatorOf(requestBody.content[mediaType].schema);
  expect([security, others, receiver.requests.length]).toEqual([[], [], 2]);
  for (const { method, headers, body } of receiver.requests) {
    const sent = Object.keys(headers).filter((name) => name.startsWith('webhook-'));
    expect([method, headers['content-type'], sent.sort()]).toEqual(['POST', mediaType, names.sort()]);
    expect(headers['user-agent']).toBe(`invoicing/${manifest.version}`);
    expect([validate(JSON.parse(body)), validate.errors]).toEqual([true, null]);
  }
  const types = receiver.requests.map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(['customer.created', 'webhook.test']);
  expect(validate({ ...JSON.parse(receiver.requests[0]?.body ?? ''), type: 'customer.moved' })).toBe(false);
});

test('the responses of a receiver in the OpenAPI document: success, 410 and any other [CONTRACT §15]', () => {
  expect(Object.keys(responses).sort()).toEqual(['2XX', '410', 'default']);
});
