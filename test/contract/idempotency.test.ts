import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkInvariants, scan } from '#test/support/invariants.ts';
import { type Answer, type Claims, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const post = (key: string | undefined, body: unknown = {}, path = '/v1/invoices', claims: Claims = {}) =>
  service.send(path, {
    method: 'POST',
    body,
    claims,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  });
const total = async () => (await service.send('/v1/invoices?page=1&per_page=1')).json.total_count;
const isReplayOf = (replay: Answer, first: Answer) => {
  expect([replay.status, replay.text]).toEqual([first.status, first.text]);
  expect(replay.headers['idempotent-replayed']).toBe('true');
  for (const name of ['location', 'etag', 'content-type']) expect(replay.headers[name]).toBe(first.headers[name]);
};

describe('a repeated request', () => {
  test('the same key and body: the original response, no second effect [§4]', async () => {
    const before = await total();
    const key = randomUUID();
    const first = await post(key, { description: 'once' });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    isReplayOf(await post(key, { description: 'once' }), first);
    await service.send(first.headers['location'] as string, { method: 'DELETE' });
    isReplayOf(await post(key, { description: 'once' }), first);
    expect(await total()).toBe(before);
  });

  test('another order of members, other white space, the key quoted and in upper case: a replay [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await post(key, '{"total_cents":100,"description":"a\\u0062"}');
    isReplayOf(await post(`"${key.toUpperCase()}"`, ' { "description" : "ab", "total_cents" : 1e2 } '), first);
  });

  test('a different key with the same body: a new operation [§4]', async () => {
    const [a, b] = [await post(randomUUID()), await post(randomUUID())];
    expect(a.json.id).not.toBe(b.json.id);
  });

  test('the same key with another body: 422, and the original still replays [§4, CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await post(key, { total_cents: 1 });
    const before = await total();
    const other = await post(key, { total_cents: 2 });
    expect([other.status, other.json.code]).toEqual([422, 'idempotency-key-reused']);
    expect(other.json.errors).toEqual([expect.objectContaining({ header: 'Idempotency-Key' })]);
    isReplayOf(await post(key, { total_cents: 1 }), first);
    expect(await total()).toBe(before);
  });

  test('20 concurrent requests with one key: exactly one executes, the others replay it [§4, CONTRACT §8]', async () => {
    const before = await total();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, { description: 'duplicates' })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'])).toHaveLength(19);
    expect(await total()).toBe(before + 1);
  });
});

describe('a key and its record', () => {
  test.each(['', 'abc', '123', `"${randomUUID()}`, `{${randomUUID()}}`, `${randomUUID()}, ${randomUUID()}`])(
    'the key %j: 400 invalid-idempotency-key [CONTRACT §8]',
    async (key) => {
      const answer = await post(key);
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid-idempotency-key']);
    },
  );

  test('POST /invoices and /customers without a key: 201 and no record [CONTRACT §8]', async () => {
    const records = (await scan(service, 'idempotency')).length;
    expect((await post(undefined)).status).toBe(201);
    expect((await post(undefined, { name: 'x' }, '/v1/customers')).status).toBe(201);
    expect(await scan(service, 'idempotency')).toHaveLength(records);
  });

  test('the same key in another account, version or path: a new operation [CONTRACT §8]', async () => {
    const key = randomUUID();
    const body = { name: 'x' };
    const first = await post(key, body, '/v1/customers');
    const others = [
      await post(key, body, '/v2/customers'),
      await post(key, body, '/v1/customers', { account_id: 'acct_2' }),
      await post(key, {}, '/v1/invoices'),
    ];
    for (const other of others) {
      expect([other.status, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expect(other.json.id).not.toBe(first.json.id);
    }
  });

  test('the same key from another user of the account: a replay [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await post(key);
    isReplayOf(await post(key, {}, '/v1/invoices', { sub: 'user_2' }), first);
  });

  test('a repeat without the scope, or with an expired token: 403 or 401 instead of a replay [CONTRACT §8]', async () => {
    const key = randomUUID();
    await post(key);
    expect((await post(key, {}, '/v1/invoices', { role: 'viewer' })).status).toBe(403);
    expect((await post(key, {}, '/v1/invoices', { exp: 1 })).status).toBe(401);
  });

  test('a rejected request: no record, the key may be used again [CONTRACT §8]', async () => {
    const key = randomUUID();
    expect((await post(key, { total_cents: -1 })).status).toBe(422);
    expect((await post(key, { customer_id: 1 })).status).toBe(404);
    expect((await post(key, { total_cents: 1 })).status).toBe(201);
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

  test('a large body: the replay is the same, byte for byte [CONTRACT §8]', async () => {
    const key = randomUUID();
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '\u{1F600}'.repeat(500)]));
    const first = await post(key, { metadata, description: 'é'.repeat(1000) });
    expect(first.status).toBe(201);
    isReplayOf(await post(key, { metadata, description: 'é'.repeat(1000) }), first);
  });

  test('a cancel repeated under its key: a replay; under a new key: 200, nothing changes [CONTRACT §4, CONTRACT §8]', async () => {
    const path = (await post(undefined)).headers['location'] as string;
    const key = randomUUID();
    const cancel = () => service.send(`${path}/cancel`, { method: 'POST', headers: { 'idempotency-key': key } });
    const first = await cancel();
    expect([first.status, first.json.status]).toEqual([200, 'canceled']);
    isReplayOf(await cancel(), first);
    const again = await service.send(`${path}/cancel`, {
      method: 'POST',
      headers: { 'idempotency-key': randomUUID() },
    });
    expect([again.status, again.text]).toEqual([200, first.text]);
  });
});

describe('a key that already has a record', () => {
  test('a repeat that would now be 404, 409 or 412: the record decides [CONTRACT §12]', async () => {
    const customer = await post(undefined, { name: 'x' }, '/v1/customers');
    const body = { customer_id: customer.json.id };
    const key = randomUUID();
    const first = await post(key, body);
    await service.send(first.headers['location'] as string, { method: 'DELETE' });
    await service.send(customer.headers['location'] as string, { method: 'DELETE' });
    isReplayOf(await post(key, body), first);
    expect((await post(key, { customer_id: 1 })).json.code).toBe('idempotency-key-reused');

    const invoice = await post(undefined);
    const path = `${invoice.headers['location']}/cancel`;
    const headers = { 'idempotency-key': randomUUID(), 'if-match': '"1"' };
    const canceled = await service.send(path, { method: 'POST', headers });
    isReplayOf(await service.send(path, { method: 'POST', headers }), canceled);
    await service.send(invoice.headers['location'] as string, { method: 'DELETE' });
    isReplayOf(await service.send(path, { method: 'POST', headers }), canceled);
  });

  test('a body that fails syntax or validation: its own 400 or 422 first [CONTRACT §12]', async () => {
    const key = randomUUID();
    await post(key);
    expect((await post(key, '{')).json.code).toBe('malformed-json');
    expect((await post(key, { total_cents: -1 })).json.code).toBe('validation-failed');
  });
});

test('Idempotency-Key on GET, PATCH or DELETE: ignored [CONTRACT §12]', async () => {
  const path = (await post(undefined)).headers['location'] as string;
  const headers = { 'idempotency-key': 'nonsense' };
  expect((await service.send(path, { headers })).status).toBe(200);
  expect((await service.send(path, { method: 'PATCH', body: {}, headers })).status).toBe(200);
  expect((await service.send(path, { method: 'DELETE', headers })).status).toBe(204);
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
    await instead(/^Update/, async (send) => {
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
