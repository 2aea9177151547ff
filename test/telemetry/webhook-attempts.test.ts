import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { captureOutput, enableTelemetry } from '#test/support/telemetry-output.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/webhook-receivers.ts';
import { startWebhooks, type Webhooks } from '#test/support/webhooks.ts';

let service: Webhooks;
let receiver: Receiver;
let restoreOutput: () => void;
beforeAll(async () => {
  restoreOutput = enableTelemetry();
  service = await startWebhooks();
  receiver = await startReceiver(behaviors.gone);
});
afterAll(async () => {
  restoreOutput();
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
      webhook_delivery_id: delivery.id,
      origin: receiver.url,
      attempt: 1,
      status: 410,
      code: 'unexpected-status',
      milliseconds: expect.any(Number),
    }),
  ]);
  expect(text).not.toMatch(/private|hidden|Ada/);
});

test('an attempt without a response: the code of the failure, and no status', async () => {
  const { attempts } = await logAttempts('http://127.0.0.1:1/private');
  expect(attempts).toEqual([expect.objectContaining({ code: 'connection-failed', origin: 'http://127.0.0.1:1' })]);
  expect(attempts[0]).not.toHaveProperty('status');
});
