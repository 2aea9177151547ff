import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureOutput, enableTelemetry } from '#test/support/telemetry-output.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/webhook-receivers.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/webhooks.ts';

let service: Webhooks;
let receiver: Receiver;
let restoreOutput: () => void;
beforeAll(async () => {
  restoreOutput = enableTelemetry();
  service = await startWebhooks();
  receiver = await startReceiver((...exchange) =>
    (exchange[0].url === '/ok' ? behaviors.ok : behaviors.gone)(...exchange),
  );
});
afterAll(async () => {
  restoreOutput();
  await receiver.close();
  await service.stop();
});

/** Uses a webhook endpoint in every way, and returns its secrets and all other responses. */
const useEndpoints = async (account: Account) => {
  const [ok, gone] = [
    await account.createEndpoint({ url: `${receiver.url}/ok` }),
    await account.createEndpoint({ url: `${receiver.url}/gone` }),
  ];
  const rotated = (await account.act(`webhook-endpoints/${ok.id}/rotate-secret`)).json;
  await account.createCustomer();
  await account.act(`webhook-endpoints/${ok.id}/test`);
  await service.dispatch(account.id);
  await service.drain();
  await service.schedule('workers/publish-waiting-changes');
  await service.schedule('workers/reconcile');
  const responses = [
    await account.call('GET', '/v1/webhook-endpoints'),
    await account.call('GET', '/v1/webhook-deliveries?limit=100'),
    await account.call('GET', '/v1/events?limit=100&expand=resource'),
    await account.call('POST', '/v1/exports', { type: 'webhook-endpoints', format: 'csv' }),
    await account.call('DELETE', `/v1/webhook-endpoints/${ok.id}`),
  ];
  await service.drain();
  return { secrets: [ok.secret, gone.secret, rotated.secret], responses };
};

test('secrets and signatures of webhooks: in no log line, event, list and export [CONTRACT §15]', async () => {
  const { result, text, lines } = await captureOutput(() => useEndpoints(service.account()));
  expect(lines.length).toBeGreaterThan(10);
  const signatures = receiver.requests.flatMap(({ headers }) => headers['webhook-signature']?.split(' ') ?? []);
  expect(signatures.length).toBeGreaterThan(3);
  const keys = [...result.secrets, ...signatures].map((secret: string) => secret.replace(/^(whsec_|v1,)/, ''));
  const outputs = [text, ...result.responses.map((response) => response.text)];
  expect(keys.filter((key) => outputs.some((output) => output.includes(key)))).toEqual([]);
  expect(outputs.filter((output) => output.includes('whsec_'))).toEqual([]);
  expect(result.responses.map(({ status }) => status)).toEqual([200, 200, 200, 422, 204]);
});
