import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';

let service: LocalService;
enableTelemetryOfFile();
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const uniqueText = (): string => `s${randomBytes(9).toString('hex')}`;

/** Sends every kind of request that carries a secret, and returns the secrets. */
const requests = async () => {
  const [key, text, query] = [randomUUID(), uniqueText(), uniqueText()];
  const token = await service.token({ sub: uniqueText() });
  const post = (path: string, body: unknown, more: object = {}) =>
    service.send(path, { method: 'POST', headers: { 'idempotency-key': key, ...more }, body });
  const invoice = await post('/v1/invoices', { total_cents: 987_654_321, description: text });
  const { id } = invoice.json;
  await post('/v1/invoices', { total_cents: 987_654_321, description: text });
  await post('/v1/invoices', { total_cents: 1, description: text });
  await post('/v1/invoices', `{"description":"${text}`);
  await post('/v1/invoices', { [text]: text });
  await service.send(`/v1/invoices/${id}`, { headers: { authorization: `Bearer ${token}` } });
  await service.send(`/v1/invoices?status=${query}`, { headers: { authorization: `Bearer ${token}` } });
  await service.send(`/v1/invoices?after=${query}`);
  await service.send(`/v1/${query}`);
  await service.send('/v1/invoices', { headers: { authorization: `Bearer ${token.slice(0, -3)}` } });
  await service.send('/v1/customers', { method: 'POST', body: { name: text, email: `${text}@example.com` } });
  return { key, text, query, id, secrets: [key, text, query, '987654321', ...token.split('.')] };
};

/** Makes the next transaction fail for an unknown reason, with an SDK error that carries these items. */
const breakNext = (items: readonly object[]): void => {
  service.client.middlewareStack.add(
    (next) => async (call) => {
      service.client.middlewareStack.remove('break');
      const reasons = items.map((Item) => ({ Code: 'Unforeseen', Item }));
      if (!('TransactItems' in call.input)) return next(call);
      throw Object.assign(new Error('cancelled'), {
        name: 'TransactionCanceledException',
        CancellationReasons: reasons,
        $response: { body: JSON.stringify(items) },
      });
    },
    { step: 'initialize', name: 'break', priority: 'high' },
  );
};

test('any request: no token, body, query or idempotency key in the log', async () => {
  const { result, text, lines } = await captureOutput(requests);
  expect(lines.length).toBe(11);
  expect(result.secrets.filter((secret) => text.includes(secret))).toEqual([]);
});

test('an SDK error that carries items: logged without them', async () => {
  const [key, note] = [randomUUID(), uniqueText()];
  breakNext([{ key: { S: key }, body: { S: note } }]);
  const sent = { method: 'POST', headers: { 'idempotency-key': key }, body: { total_cents: 1, description: note } };
  const { result, text, lines } = await captureOutput(() => service.send('/v1/invoices', sent));
  expect(result.status).toBe(500);
  expect(lines).toMatchObject([
    {
      level: 'ERROR',
      message: 'request failed',
      request_id: result.headers['x-request-id'],
      error: { name: 'TransactionCanceledException', message: 'cancelled', stack: expect.any(String) },
    },
    { message: 'request', status: 500, code: 'internal-error' },
  ]);
  expect([key, note].filter((secret) => text.includes(secret))).toEqual([]);
});
