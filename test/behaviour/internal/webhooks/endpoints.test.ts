import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { type Account, startWebhooks } from '#test/support/service/webhooks.ts';

/* A service like a deployed one: without WEBHOOK_ALLOW_LOCAL, no delivery may go to this machine. */

const PATH = '/v1/webhook-endpoints';

let account: Account;

const service = await startWebhooks({ allowsLocal: false });
afterAll(() => service.stop());
beforeEach(async () => {
  await service.queue.purge();
  account = service.account();
});

test('an address of this machine: 422 at create and PATCH [CONTRACT §15]', async () => {
  const { id } = await account.createEndpoint({ url: 'https://example.com/hooks' });
  for (const host of ['127.0.0.1', '[::1]', '2130706433']) {
    const body = { url: `https://${host}/` };
    for (const { status, json } of [
      await account.send('POST', PATH, body),
      await account.send('PATCH', `${PATH}/${id}`, body),
    ])
      expect([host, status, json.errors]).toMatchObject([host, 422, [{ pointer: '/url', code: 'invalid-url' }]]);
  }
});

test('PATCH: only a change to enabled, or of the URL while enabled, sends a message [CONTRACT §15]', async () => {
  const url = 'https://example.com/hooks';
  const { id } = await account.createEndpoint({ url });
  const sentAfter = async (body: object) => {
    await account.patchEndpoint(id, body);
    return (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
  };
  const message = { account_id: account.id, webhook_endpoint_id: id };
  const [disabled, enabled] = [{ status: 'disabled' }, { status: 'enabled' }];
  expect([await sentAfter({ url }), await sentAfter({ url: `${url}/2` })]).toEqual([[], [message]]);
  expect([await sentAfter(disabled), await sentAfter(disabled), await sentAfter({ url })]).toEqual([[], [], []]);
  expect(await account.storedEndpoint()).not.toHaveProperty('due_at');
  expect([await sentAfter(enabled), await sentAfter(enabled)]).toEqual([[message], []]);
});
