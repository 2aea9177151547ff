import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '#test/support/service.ts';
import { trackUsage, type Usage } from '../../bench/meter.ts';

let service: Service;
let read: () => Usage;

beforeAll(async () => {
  service = await startService();
  read = trackUsage(service.client);
});
afterAll(() => service.stop());

const TOTAL_CENTS = 1000;

/** Returns a function that sends a payment of a new invoice, each time under the same key. */
const payment = async (amount_cents: number) => {
  const { json } = await service.send('/v1/invoices', { method: 'POST', body: { total_cents: TOTAL_CENTS } });
  const headers = { 'idempotency-key': randomUUID() };
  const sent = { method: 'POST', headers, body: { invoice_id: json.id, amount_cents } };
  return async (): Promise<Usage & { replayed: boolean }> => {
    read();
    const answer = await service.send('/v1/payments', sent);
    expect(answer.status).toBe(201);
    return { ...read(), replayed: answer.headers['idempotent-replayed'] === 'true' };
  };
};

describe.each([
  ['a part of the amount due', 1, ['GetItem', 'TransactWriteItems']],
  ['the whole amount due', TOTAL_CENTS, ['GetItem', 'GetItem']],
])('POST /payments of %s', (_, amount, replayTrips) => {
  test('the first request: 2 round trips, at most 6 write units without the indexes', async () => {
    const { roundTrips, writeUnits, rejectedItems } = await (await payment(amount))();
    expect(roundTrips).toEqual(['GetItem', 'TransactWriteItems']);
    expect(rejectedItems).toBe(0);
    // An engine that reports no units would pass every upper bound.
    expect(writeUnits).toBeGreaterThan(0);
    expect(writeUnits).toBeLessThanOrEqual(6);
  });

  test('a replay: 2 round trips', async () => {
    const pay = await payment(amount);
    await pay();
    const { roundTrips, replayed } = await pay();
    expect(replayed).toBe(true);
    expect(roundTrips).toEqual(replayTrips);
  });
});
