import { expect, test } from '@jest/globals';
import { SERVICE_ALARMS } from '#infra/monitoring/alarms.ts';
import { HEALTHY } from '#shared/platform/webhooks/schedule.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { behaviors } from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { account, createEndpoint, DAY, HOUR, MINUTE, receiver, service, useWebhooks, work } from './pumps.ts';

/* Attempts over days, with a clock that the tests move. */

const SECOND = 1000;
const FURTHER = isDeep ? 50 : 6;
const { metric, threshold } = SERVICE_ALARMS['overdue-webhooks'] as (typeof SERVICE_ALARMS)[string];

enableTelemetryOfFile();
useWebhooks(behaviors.failing);

const only = async (): Promise<Answer['json']> => {
  const deliveries = await account.deliveries();
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
};

const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const DURATION = 3 * SECOND;
const TOLERANCE_MS = 1000;

test('a receiver that always fails: ten attempts with the pauses of the contract ± 20 %, then failed [CONTRACT §15]', async () => {
  receiver.behavior = (...exchange) => {
    service.moveClock(DURATION);
    behaviors.failing(...exchange);
  };
  await account.createEndpoint(receiver);
  await account.createEvents(1);
  await service.deliverDue(account);
  for (const [i, pause] of PAUSES.entries()) {
    const { status, attempts, last_attempt_at, next_attempt_at, webhook_endpoint_id } = await only();
    expect([status, attempts]).toEqual(['pending', i + 1]);
    // A pause begins at the end of an attempt.
    const actual = Date.parse(next_attempt_at) - Date.parse(last_attempt_at) - DURATION;
    expect([i, actual >= 0.8 * pause, actual <= 1.2 * pause + TOLERANCE_MS]).toEqual([i, true, true]);
    // A message that arrives early changes nothing.
    await work(webhook_endpoint_id);
    expect(receiver.calls).toHaveLength(i + 1);
    await service.nextStep(account);
  }
  const error = { code: 'unexpected-status' };
  const failed = { status: 'failed', attempts: 10, next_attempt_at: null, response_status: 500, error };
  expect(await only()).toMatchObject(failed);
  await service.reconcileAfter(2 * DAY);
  expect(receiver.calls).toHaveLength(10);
  const { id } = await only();
  const retry = await account.act(`webhook-deliveries/${id}/retry`);
  // The error of the last attempt stays until the next one has ended.
  expect([retry.status, retry.json]).toMatchObject([202, { status: 'pending', error }]);
  expect((await account.storedDeliveries())[0]).not.toHaveProperty('expires_at');
  await service.drain();
  expect(await only()).toMatchObject({ status: 'pending', attempts: 11 });
  receiver.behavior = behaviors.ok;
  await service.drain();
  for (let step = 0; step < 2; step++) await service.nextStep(account);
  expect(await only()).toMatchObject({ status: 'succeeded', attempts: 12, error: null });
});

/** Runs the reconciler, and returns how late the rows are that are due, in seconds. */
const lateness = async (): Promise<readonly number[]> => {
  const { metrics } = await captureOutput(() => service.schedule('workers/reconcile'));
  return metrics.filter(({ name }) => name === metric).map(({ value }) => value);
};

test('no success for 120 hours: ≤ 10 calls a day, then disabled as failing; no row is late, and when it is enabled, everything is sent [CONTRACT §15]', async () => {
  // Other tests leave rows.
  await lateness();
  expect(await lateness()).toEqual([0]);
  await service.queue.purge();
  const { id } = await account.createEndpoint(receiver);
  const endpoint = async () => (await account.send('GET', `/v1/webhook-endpoints/${id}`)).json;
  const late: number[] = [];
  /** Moves the clock to the last minute in which the reconciler finds the next row that is due. */
  const step = async () => {
    const { due_at = Date.now() + HOUR } = await account.storedEndpoint();
    service.moveClock(Math.max(0, Number(due_at) - Date.now()) + MINUTE);
    late.push(...(await lateness()));
    await service.drain();
  };
  await account.createEvents(1);
  await service.drain();
  while (receiver.calls.length < 5) await step();
  await account.createEvents(FURTHER);
  while ((await endpoint()).status === 'enabled') await step();
  const hours = (Date.now() - Number(receiver.calls[0])) / HOUR;
  expect([hours >= 120, hours < 145]).toEqual([true, true]);
  expect(await endpoint()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  for (const call of receiver.calls)
    expect(receiver.calls.filter((other) => other >= call && other < call + DAY).length).toBeLessThanOrEqual(10);
  const before = receiver.calls.length;
  expect(before).toBeGreaterThan(10);
  // Only a probe sends a further event, which then is a delivery.
  const { length } = await account.deliveries();
  expect(length).toBeGreaterThan(1);
  receiver.behavior = behaviors.ok;
  await account.createEvents(2);
  for (let i = 0; i < 5; i++) await step();
  await service.schedule('workers/publish-waiting-changes');
  await service.drain();
  expect([receiver.calls.length, (await account.deliveries()).length]).toEqual([before, length]);
  expect([late.length > 10, Math.min(...late) >= 0, Math.max(...late) <= threshold]).toEqual([true, true, true]);
  await account.patchEndpoint(id, { status: 'enabled' });
  expect(await account.storedEndpoint()).toMatchObject(HEALTHY);
  await service.dispatch(account.id);
  await service.drain();
  const ended = (await account.deliveries()).map(({ status }) => status).sort();
  // The events that disabled and enabled the endpoint are delivered, too. The probed one may have failed.
  expect([ended.length, new Set(ended.slice(1))]).toEqual([1 + FURTHER + 2 + 2, new Set(['succeeded'])]);
  expect(ended[0]).toMatch(/succeeded|failed/);
  expect((await endpoint()).disabled_reason).toBeNull();
});

test('disabled for 70 days: its delivery does not expire, and is sent when it is enabled [CONTRACT §15]', async () => {
  const id = await createEndpoint();
  await account.createEvents(1);
  await service.drain();
  await account.patchEndpoint(id, { status: 'disabled' });
  expect(await account.storedEndpoint()).not.toHaveProperty('due_at');
  receiver.behavior = behaviors.ok;
  for (let day = 0; day < 70; day += 5) await service.reconcileAfter(5 * DAY);
  const [waiting] = await account.storedDeliveries();
  expect([receiver.calls.length, waiting]).toMatchObject([1, { status: 'pending', attempts: 1 }]);
  expect(waiting).not.toHaveProperty('expires_at');
  await account.patchEndpoint(id, { status: 'enabled' });
  await service.drain();
  const [ended] = await account.storedDeliveries();
  expect([receiver.calls.length, ended]).toMatchObject([2, { status: 'succeeded', attempts: 2 }]);
  expect(Math.round((Number(ended?.['expires_at']) * SECOND - Date.now()) / DAY)).toBe(30);
});
