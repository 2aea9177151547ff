import { randomUUID } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { interleave } from '#test/support/interleave.ts';
import { checkInvariants, scan } from '#test/support/invariants.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** One more than a transaction takes beside the invoice and its customer. */
const ITEMS = 99;

const post = (target: string, body: object, headers = {}) => service.send(target, { method: 'POST', body, headers });

/** An invoice with many items, the first made over the API and the others in its image: 99 requests take long. */
const itemized = async () => {
  const { json, headers } = await post('/v1/invoices', {});
  await post('/v1/invoice-items', { invoice_id: json.id, description: 'Work', unit_amount_cents: 1 });
  const [first] = await scan(service, 'items');
  const ids = Array.from({ length: ITEMS }, (_, i) => Number(first?.['id']) + i);
  const copies = ids.slice(1).map((id) => new PutCommand({ TableName: 'items', Item: { ...first, id } }));
  await Promise.all(copies.map((copy) => service.client.send(copy)));
  await service.client.send(
    new UpdateCommand({
      TableName: 'invoices',
      Key: { account_id: 'acct_1', id: json.id },
      UpdateExpression: 'SET item_ids = :ids, total_cents = :total',
      ExpressionAttributeValues: { ':ids': ids, ':total': ITEMS },
    }),
  );
  return { id: json.id, path: headers['location'] as string };
};

test('the first step of a DELETE that takes several: an invoice that is being paid keeps all its items', async () => {
  const { id, path } = await itemized();
  const answer = await interleave(service.client)(
    () => post('/v1/payments', { invoice_id: id, amount_cents: 1 }, { 'idempotency-key': randomUUID() }),
    () => service.send(path, { method: 'DELETE' }),
  );
  expect([answer.status, answer.json?.code]).toEqual([409, 'invoice-has-payments']);
  expect(await scan(service, 'items')).toHaveLength(ITEMS);
  expect((await service.send(path)).json.total_cents).toBe(ITEMS);
  await checkInvariants(service);
});
