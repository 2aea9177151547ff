import { afterAll, expect, test } from '@jest/globals';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { type Account, startWebhooks } from '#test/support/service/webhooks.ts';

enableTelemetryOfFile();
const service = await startWebhooks();
const receiver = await startReceiver((...exchange) =>
  (exchange[0].url === '/ok' ? behaviors.ok : behaviors.gone)(...exchange),
);
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

/** The records of the attempts that follow when a customer is created. */
const logAttempts = async (url: string) => {
  const account = service.account();
  const endpoint = await account.createEndpoint({ url });
  await account.createCustomer();
  const { lines, text } = await captureOutput(async () => {
    await service.dispatch(account.id);
    await service.drain();
  });
  const [delivery] = await account.deliveries();
  return { account, endpoint, delivery, text, attempts: lines.filter(({ message }) => message === 'webhook attempt') };
};

test('an attempt: one record with event, webhook endpoint, account, outcome and time, and no path or query of the URL', async () => {
  const { account, endpoint, delivery, text, attempts } = await logAttempts(`${receiver.url}/private?key=hidden`);
  expect(attempts).toEqual([
    expect.objectContaining({
      level: 'INFO',
      account: account.id,
      event_type: 'customer.created',
      event_id: delivery.event_id,
      webhook_endpoint_id: endpoint.id,
      origin: receiver.url,
      attempt: 1,
      status: 410,
      code: 'unexpected-status',
      milliseconds: expect.any(Number),
    }),
  ]);
  expect(text).not.toMatch(/private|hidden|Ada/);
});

test('an attempt without a response: the record has the code of the failure, and no status', async () => {
  const { attempts } = await logAttempts('http://127.0.0.1:1/private');
  expect(attempts).toEqual([expect.objectContaining({ code: 'connection-failed', origin: 'http://127.0.0.1:1' })]);
  expect(attempts[0]).not.toHaveProperty('status');
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
    await account.send('GET', '/v1/webhook-endpoints'),
    await account.send('GET', '/v1/webhook-deliveries?limit=100'),
    await account.send('GET', '/v1/events?limit=100&expand=resource'),
    await account.send('POST', '/v1/exports', { type: 'webhook-endpoints', format: 'csv' }),
    await account.send('DELETE', `/v1/webhook-endpoints/${ok.id}`),
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
