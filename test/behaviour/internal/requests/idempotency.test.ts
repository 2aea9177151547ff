import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';

const service = await startService();
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const post = (key: string | undefined, body: unknown = {}, path = '/v1/invoices', as: Caller = {}) =>
  service.send(path, {
    method: 'POST',
    body,
    as,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  });
const isReplayOf = (replay: Answer, first: Answer) => {
  expect([replay.status, replay.text]).toEqual([first.status, first.text]);
  expect(replay.headers['idempotent-replayed']).toBe('true');
  for (const name of ['location', 'etag', 'content-type']) expect(replay.headers[name]).toBe(first.headers[name]);
};

describe('a key and its record', () => {
  test('POST /invoices and /customers without a key: 201 and no record [CONTRACT §8]', async () => {
    const records = (await scan(service, 'idempotency')).length;
    expect((await post(undefined)).status).toBe(201);
    expect((await post(undefined, { name: 'x' }, '/v1/customers')).status).toBe(201);
    expect(await scan(service, 'idempotency')).toHaveLength(records);
  });

  test('a record: it expires after 24 hours, and counts as absent from then on [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await post(key, { description: 'first' });
    const record = (await scan(service, 'idempotency')).find((item) => String(item['key']).endsWith(key));
    const seconds = Math.floor(Date.now() / 1000);
    expect(Number(record?.['expires_at'])).toBeGreaterThan(seconds + 24 * 3600 - 60);
    expect(Number(record?.['expires_at'])).toBeLessThanOrEqual(seconds + 24 * 3600);
    await service.client.send(
      new UpdateCommand({
        TableName: service.environment['IDEMPOTENCY_TABLE'],
        Key: { key: record?.['key'] },
        UpdateExpression: 'SET expires_at = :past',
        ExpressionAttributeValues: { ':past': seconds - 1 },
      }),
    );
    expect((await post(key, { description: 'first', total_cents: -1 })).status).toBe(422);
    expect((await post(key, { customer_id: 1 })).status).toBe(404);
    const second = await post(key, { description: 'second' });
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(second.json.id).not.toBe(first.json.id);
    isReplayOf(await post(key, { description: 'second' }), second);
  });

  test('IDEMPOTENCY_TTL_HOURS=1: a record expires after one hour [CONTRACT §8]', async () => {
    const other = await startService({ IDEMPOTENCY_TTL_HOURS: '1' });
    await other.send('/v1/invoices', { method: 'POST', body: {}, headers: { 'idempotency-key': randomUUID() } });
    const [record] = await scan(other, 'idempotency');
    expect(Number(record?.['expires_at']) - Number(record?.['created_at'])).toBe(3600);
    await other.stop();
  });
});

describe('a failed condition of a commit', () => {
  /** Replaces the next matching command by `act`, once. `act` may still send the command. */
  const instead = async (command: RegExp, act: (send: () => Promise<unknown>) => Promise<never>): Promise<void> => {
    let isDone = false;
    service.client.middlewareStack.add(
      (next, context) => (call) => {
        if (isDone || !command.test(String(context.commandName))) return next(call);
        isDone = true;
        return act(() => next(call));
      },
      { step: 'finalizeRequest', priority: 'low', name: 'instead', override: true },
    );
  };

  test('a record exists, but DynamoDB does not return it: 500, never idempotency-key-reused', async () => {
    const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }];
    await instead(/^TransactWrite/, async () => {
      throw Object.assign(new Error('cancelled'), { name: 'TransactionCanceledException', CancellationReasons });
    });
    const answer = await post(randomUUID());
    expect([answer.status, answer.json.code]).toEqual([500, 'internal-error']);
  });

  test('the response to a PATCH is lost, then a new invoice is counted on the customer: 200, one change', async () => {
    const customer = await post(undefined, { name: 'Ada' }, '/v1/customers');
    await instead(/^TransactWrite/, async (send) => {
      await send();
      expect((await post(undefined, { customer_id: customer.json.id })).status).toBe(201);
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET', $metadata: {} });
    });
    const answer = await service.send(customer.headers['location'] as string, {
      method: 'PATCH',
      body: { name: 'Grace' },
      headers: { 'if-match': '"1"' },
    });
    expect([answer.status, answer.json.name, answer.headers['etag']]).toEqual([200, 'Grace', '"2"']);
  });
});
