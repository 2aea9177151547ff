import { expect, test } from '@jest/globals';
import { SERVICE_ALARMS } from '#infra/monitoring/alarms.ts';
import { behaviors } from '#test/support/receivers/webhook-receivers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const { metric, threshold } = SERVICE_ALARMS['overdue-webhooks'] as (typeof SERVICE_ALARMS)[string];

enableTelemetryOfFile();
let service: Webhooks;
let account: Account;
let receiver: TestReceiver;
forEachWebhookTest(behaviors.failing, (...own) => {
  [service, account, receiver] = own;
});

/** Runs the reconciler, and returns what it reports. */
const lateness = async (): Promise<readonly number[]> => {
  const { metrics } = await captureOutput(() => service.schedule('workers/reconcile'));
  return metrics.filter(({ name }) => name === metric).map(({ value }) => value);
};

/** Moves the clock to the last minute in which the reconciler finds the next row of the account that is due. */
const toNextRow = async (): Promise<void> => {
  const { due_at = Date.now() + HOUR } = await account.storedEndpoint();
  service.moveClock(Math.max(0, Number(due_at) - Date.now()) + MINUTE);
};

test('a receiver that is dead until its endpoint is disabled, and for days after: no row is late, and no alarm fires', async () => {
  const { id } = await account.createEndpoint(receiver);
  await account.createEvents(12);
  await service.drain();
  const endpoint = async () => (await account.get(`/v1/webhook-endpoints/${id}`)) as { status: string };
  const late: number[] = [];
  const step = async () => {
    await toNextRow();
    late.push(...(await lateness()));
    await service.drain();
  };
  while ((await endpoint()).status === 'enabled') await step();
  for (let i = 0; i < 5; i++) await step();
  expect(await endpoint()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  expect(late.length).toBeGreaterThan(10);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  expect(late.filter((seconds) => seconds > threshold)).toEqual([]);
  expect(receiver.calls.length).toBeGreaterThan(5);
});

test('no row is due: 0', async () => {
  // Other tests leave rows.
  await lateness();
  expect(await lateness()).toEqual([0]);
});
