import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startService } from '#test/support/service/local-service.ts';
import { trackUsage, type Usage } from './usage.ts';

const service = await startService();
const read = trackUsage(service.client);
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
  test('the first request: 2 round trips, 8 write units without the indexes: 2 for each item, and 2 for the feed', async () => {
    const { roundTrips, writeUnits, rejectedItems } = await (await payment(amount))();
    expect(roundTrips).toEqual(['GetItem', 'TransactWriteItems']);
    expect(rejectedItems).toBe(0);
    expect(writeUnits).toBe(8);
  });

  test('a replay: 2 round trips', async () => {
    const pay = await payment(amount);
    await pay();
    const { roundTrips, replayed } = await pay();
    expect(replayed).toBe(true);
    expect(roundTrips).toEqual(replayTrips);
  });
});

describe('a change without a key', () => {
  const send = async (method: string, target: string, body?: object): Promise<Usage & { id: number }> => {
    read();
    const { json, status } = await service.send(target, { method, ...(body && { body }) });
    expect(status).toBeLessThan(300);
    return { ...read(), id: json?.id };
  };

  test('POST, PATCH and DELETE: 2 write units for the item in a transaction, and 2 for the feed; no unit for a page index that nobody reads', async () => {
    const { id, ...created } = await send('POST', '/v1/customers', { name: 'Ada' });
    const changed = await send('PATCH', `/v1/customers/${id}`, { name: 'Bob' });
    const deleted = await send('DELETE', `/v1/customers/${id}`);
    expect([created.writeUnits, changed.writeUnits, deleted.writeUnits]).toEqual([4, 4, 4]);
  });

  test('GET /events that publishes one event: 2 write units for the event, 2 for the head, 1 for the outbox', async () => {
    await service.send('/v1/events');
    await send('POST', '/v1/customers', { name: 'Ada' });
    expect((await send('GET', '/v1/events')).writeUnits).toBe(5);
    expect((await send('GET', '/v1/events')).writeUnits).toBe(0);
  });
});
