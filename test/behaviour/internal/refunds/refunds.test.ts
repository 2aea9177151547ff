import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from '@jest/globals';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startService();
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const post = async (path: string, body: object, caller: Caller = {}): Promise<Answer> =>
  service.send(path, { method: 'POST', body, as: caller, headers: { 'idempotency-key': randomUUID() } });
const refund = (payment_id: number, caller: Caller) => post('/v1/refunds', { payment_id, amount_cents: 1 }, caller);

const backdate = async (payment_id: number, hours: number) => {
  const created_at = new Date(Date.now() - hours * 3_600_000 - 1000).toISOString();
  await service.client.send(
    new UpdateCommand({
      TableName: service.environment['PAYMENTS_TABLE'],
      Key: { account_id: 'acct_1', id: payment_id },
      UpdateExpression: 'SET created_at = :at',
      ExpressionAttributeValues: { ':at': created_at },
    }),
  );
};

test('time, a refund of a payment older than 180 days: 403, except for an admin [CONTRACT §2]', async () => {
  const { json: invoice } = await post('/v1/invoices', { total_cents: 1000 });
  const { json: payment } = await post('/v1/payments', { invoice_id: invoice.id, amount_cents: 500 });
  const accountant = { sub: 'bea', role: 'accountant' };
  await backdate(payment.id, 179 * 24);
  expect((await refund(payment.id, accountant)).status).toBe(201);
  await backdate(payment.id, 180 * 24);
  for (const caller of [accountant, { scope: 'payments:write refunds:write' }]) {
    const { status, json } = await refund(payment.id, caller);
    expect([status, json.code, json.rule]).toEqual([403, 'policy-denied', 'time']);
  }
  expect((await refund(payment.id, { role: 'admin' })).status).toBe(201);
});

test('time, a void by a clerk of a payment older than 24 hours: 403, but not by an accountant [CONTRACT §2]', async () => {
  const clerk = { sub: 'cid', role: 'clerk' };
  const { json: invoice } = await post('/v1/invoices', { total_cents: 1000 });
  const pay = () => post('/v1/payments', { invoice_id: invoice.id, amount_cents: 500 }, clerk);
  const [early, late] = [(await pay()).json.id, (await pay()).json.id];
  const voidBy = (id: number, caller: Caller) => post(`/v1/payments/${id}/void`, {}, caller);
  await backdate(early, 23);
  expect((await voidBy(early, clerk)).status).toBe(200);
  await backdate(late, 24);
  const { status, json } = await voidBy(late, clerk);
  expect([status, json.code, json.rule]).toEqual([403, 'policy-denied', 'time']);
  expect((await voidBy(late, { role: 'accountant' })).status).toBe(200);
});
