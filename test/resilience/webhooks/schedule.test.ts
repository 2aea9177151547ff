import { describe, expect, test } from '@jest/globals';
import { HEALTHY } from '#shared/platform/webhooks/schedule.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { behaviors } from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';

/* Attempts over days, with a clock that the tests move. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const WAITING = isDeep ? 50 : 6;
const FURTHER = isDeep ? 20 : 3;

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.failing, (...own) => {
  [service, account, receiver] = own;
});

const only = async (): Promise<Answer['json']> => {
  const deliveries = await account.deliveries();
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
};
const endpointOf = async (id: number) => (await account.send('GET', `/v1/webhook-endpoints/${id}`)).json;
const statuses = async () => {
  const found = Map.groupBy(await account.deliveries(), ({ status }) => status);
  return Object.fromEntries([...found].map(([status, { length }]) => [status, length]));
};

const nextStep = () => service.nextStep(account);
/** Makes five attempts of one delivery. The endpoint then counts as failing. */
const openBreaker = async (): Promise<void> => {
  await account.createEvents(1);
  await service.deliverDue(account);
  for (let attempt = 2; attempt <= 5; attempt++) await nextStep();
  expect(receiver.calls).toHaveLength(5);
};

const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const TOLERANCE_MS = 1000;

describe('the schedule', () => {
  test('a receiver that always fails: ten attempts with the pauses of the contract ± 20 %, then failed [CONTRACT §15]', async () => {
    await account.createEndpoint(receiver);
    await account.createEvents(1);
    await service.deliverDue(account);
    for (const [i, pause] of PAUSES.entries()) {
      const { status, attempts, last_attempt_at, next_attempt_at } = await only();
      expect([status, attempts]).toEqual(['pending', i + 1]);
      const actual = Date.parse(next_attempt_at) - Date.parse(last_attempt_at);
      expect([i, actual >= 0.8 * pause, actual <= 1.2 * pause + TOLERANCE_MS]).toEqual([i, true, true]);
      // A message that arrives early changes nothing.
      await service.deliver([{ account_id: account.id, webhook_endpoint_id: (await only()).webhook_endpoint_id }]);
      expect(receiver.calls).toHaveLength(i + 1);
      await nextStep();
    }
    expect(await only()).toMatchObject({
      status: 'failed',
      attempts: 10,
      next_attempt_at: null,
      response_status: 500,
      error: { code: 'unexpected-status' },
    });
    await service.reconcileAfter(2 * DAY);
    expect(receiver.calls).toHaveLength(10);
    const { id } = await only();
    const retry = await account.act(`webhook-deliveries/${id}/retry`);
    // The error of the last attempt stays until the next one has ended.
    expect([retry.status, retry.json]).toMatchObject([
      202,
      { status: 'pending', error: { code: 'unexpected-status' } },
    ]);
    await service.drain();
    expect(await only()).toMatchObject({ status: 'pending', attempts: 11 });
    receiver.behavior = behaviors.ok;
    await service.drain();
    for (let step = 0; step < 2; step++) await nextStep();
    expect(await only()).toMatchObject({ status: 'succeeded', attempts: 12, error: null });
  });

  test('a pause longer than 15 minutes: the reconciler sends the message at its end [CONTRACT §15]', async () => {
    await account.createEndpoint(receiver);
    await account.createEvents(1);
    await service.deliverDue(account);
    for (let attempt = 2; attempt <= 3; attempt++) await nextStep();
    await service.queue.purge();
    receiver.behavior = behaviors.ok;
    const { next_attempt_at } = await only();
    // The clock runs on, so a minute is left for the reconciler.
    await service.reconcileAfter(Date.parse(next_attempt_at) - Date.now() - MINUTE);
    expect(receiver.calls).toHaveLength(3);
    await service.reconcileAfter(2 * MINUTE);
    expect(await only()).toMatchObject({ status: 'succeeded', attempts: 4 });
  });
});

describe('an endpoint that fails', () => {
  test(`${WAITING} deliveries wait for a failing endpoint: one probe a step, ≤ 10 calls a day [CONTRACT §15]`, async () => {
    await account.createEndpoint(receiver);
    await openBreaker();
    const since = receiver.calls[0] as number;
    await account.createEvents(WAITING - 1);
    await service.deliverDue(account);
    expect(receiver.calls).toHaveLength(5);
    while (Date.now() < since + 3 * DAY) await nextStep();
    for (const call of receiver.calls) {
      const inADay = receiver.calls.filter((other) => other >= call && other < call + DAY);
      expect(inADay.length).toBeLessThanOrEqual(10);
    }
    expect(receiver.calls.length).toBeGreaterThan(10);
    receiver.behavior = behaviors.ok;
    const before = receiver.calls.length;
    while (receiver.calls.length === before) await nextStep();
    // The success of the probe resumes the deliveries that wait.
    await service.drain();
    // A delivery whose probe has failed waits for its own pause.
    for (let step = 0; step < 3; step++) await nextStep();
    const { failed = 0, succeeded = 0, ...others } = await statuses();
    expect([failed + succeeded, others]).toEqual([WAITING, {}]);
    expect(succeeded).toBeGreaterThanOrEqual(WAITING - 2);
    expect(await account.storedEndpoint()).toMatchObject(HEALTHY);
  });

  test('120 hours without a success: disabled as failing; nothing is sent until it is enabled, then everything [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver);
    await openBreaker();
    await account.createEvents(FURTHER);
    const since = receiver.calls[0] as number;
    while ((await endpointOf(id)).status === 'enabled') await nextStep();
    const hours = (Date.now() - since) / HOUR;
    expect(hours).toBeGreaterThanOrEqual(120);
    expect(hours).toBeLessThan(145);
    expect(await endpointOf(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    const before = receiver.calls.length;
    // Only a probe sends a further event, which then is a delivery.
    const { length } = await account.deliveries();
    expect(length).toBeGreaterThan(1);
    receiver.behavior = behaviors.ok;
    await account.createEvents(2);
    expect(await account.deliveries()).toHaveLength(length);
    for (let step = 0; step < 5; step++) await nextStep();
    await service.schedule('workers/publish-waiting-changes');
    await service.drain();
    expect(receiver.calls).toHaveLength(before);
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.dispatch(account.id);
    await service.drain();
    // The events that disabled and enabled the endpoint are delivered, too.
    const { failed = 0, succeeded = 0, ...others } = await statuses();
    expect([failed + succeeded, others]).toEqual([1 + FURTHER + 2 + 2, {}]);
    expect(failed).toBeLessThanOrEqual(1);
    expect((await endpointOf(id)).disabled_reason).toBeNull();
  });
});

describe('a disabled endpoint', () => {
  test('for 70 days: its delivery does not expire, and is sent when it is enabled [CONTRACT §15]', async () => {
    const { id } = await account.createEndpoint(receiver, { event_types: ['customer.created'] });
    await account.createEvents(1);
    await service.drain();
    await account.patchEndpoint(id, { status: 'disabled' });
    receiver.behavior = behaviors.ok;
    for (let day = 0; day < 70; day += 5) await service.reconcileAfter(5 * DAY);
    const [waiting] = await account.storedDeliveries();
    expect([receiver.calls.length, waiting]).toMatchObject([1, { status: 'pending', attempts: 1 }]);
    expect(waiting).not.toHaveProperty('expires_at');
    await account.patchEndpoint(id, { status: 'enabled' });
    await service.drain();
    const [ended] = await account.storedDeliveries();
    expect([receiver.calls.length, ended]).toMatchObject([2, { status: 'succeeded', attempts: 2 }]);
    expect(Number(ended?.['expires_at']) * SECOND - Date.now()).toBeGreaterThan(29 * DAY);
  });
});
