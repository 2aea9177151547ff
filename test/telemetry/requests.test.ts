import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { type Interleave, interleave } from '#test/support/faults/interleave.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers } from '#test/support/service/makers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';

let service: LocalService;
let faults: Faults;
let race: Interleave;
enableTelemetryOfFile();
beforeAll(async () => {
  service = await startService();
  await retryWithoutDelay(service.client);
  faults = injectFaults(service.client);
  race = interleave(service.client);
});
beforeEach(() => faults.plan());
afterAll(() => service.stop());

const invoice = async (): Promise<number> => (await makers(service).invoice({ total_cents: 5000 })).id;

const pay = (invoice_id: number, amount_cents: number, key: string = randomUUID()) =>
  service.send('/v1/payments', {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: { invoice_id, amount_cents },
  });

const metricTuples = (metrics: Awaited<ReturnType<typeof captureOutput>>['metrics']) =>
  metrics.map(({ name, value, by }) => [name, value, by]);
const SERVICE = { service: 'invoicing' };

describe('the line of a request', () => {
  testOnDynoxide('a payment: account, route, status, time and use of DynamoDB', async () => {
    const id = await invoice();
    const { result, lines } = await captureOutput(() => pay(id, 100));
    expect(lines).toEqual([
      {
        level: 'INFO',
        message: 'request',
        service: 'invoicing',
        timestamp: expect.any(String),
        request_id: result.headers['x-request-id'],
        route: 'POST /v1/payments',
        account: 'acct_1',
        status: 201,
        milliseconds: expect.any(Number),
        dynamodb_calls: 2,
        read_units: 1,
        write_units: 9,
        runs: 1,
      },
    ]);
    expect(lines[0]?.['milliseconds']).toBeGreaterThan(0);
  });

  test('a request with an invalid token: the problem code, and no account', async () => {
    const { lines } = await captureOutput(() =>
      service.send('/v1/invoices', { headers: { authorization: 'Bearer x' } }),
    );
    expect(lines).toMatchObject([{ status: 401, code: 'unauthenticated', dynamodb_calls: 0 }]);
    expect(lines[0]).not.toHaveProperty('account');
  });

  test.each(['/health', '/v1/nothing'])('%s: a line with its status', async (path) => {
    const { result, lines } = await captureOutput(() => service.send(path));
    expect(lines).toMatchObject([{ message: 'request', status: result.status, dynamodb_calls: 0 }]);
  });

  test('a handler that runs again after a concurrent change: the line has the number of its runs', async () => {
    const id = await invoice();
    const change = (description: string) =>
      service.send(`/v1/invoices/${id}`, { method: 'PATCH', body: { description } });
    const { lines } = await captureOutput(() =>
      race(
        () => change('first'),
        () => change('second'),
      ),
    );
    expect(lines.map(({ status, runs }) => [status, runs])).toEqual([
      [200, 1],
      [200, 2],
    ]);
  });

  test.each([
    ['conflict', 'conflicts', 'TransactionConflicts'],
    ['throttling', 'throttles', 'TableThrottles'],
  ] as const)('two attempts with a %s: 2 in %s and in the metric %s', async (fault, field, metric) => {
    const id = await invoice();
    faults.plan(({ number, command }) => (number <= 3 && /^Transact/.test(command) ? fault : undefined));
    const { lines, metrics } = await captureOutput(() => pay(id, 100));
    expect(lines).toMatchObject([{ status: 201, dynamodb_calls: 4, [field]: 2 }]);
    expect(metricTuples(metrics)).toContainEqual([metric, 2, SERVICE]);
  });

  testOnDynoxide('GET /events that publishes a change: the deletion counts as a write [CONTRACT §14]', async () => {
    const caller = { account: 'acct_publishes' };
    await makers(service, caller).customer();
    const { lines } = await captureOutput(() => service.send('/v1/events', { as: caller }));
    expect(lines).toMatchObject([{ status: 200, write_units: 8 }]);
  });

  testOnDynoxide('concurrent requests: each line has its own counts', async () => {
    // Uses three accounts: two equal ids in one account would cost a second attempt.
    const all = [1, 2, 3].map((number) => makers(service, { account: `acct_concurrent_${number}` }));
    const ids = await Promise.all(all.map(async (make) => (await make.invoice({ total_cents: 5000 })).id));
    const { lines } = await captureOutput(() =>
      Promise.all(all.map((make, i) => make.send('POST', '/v1/payments', { invoice_id: ids[i], amount_cents: 100 }))),
    );
    expect(lines.map(({ dynamodb_calls, write_units }) => [dynamodb_calls, write_units])).toEqual([
      [2, 9],
      [2, 9],
      [2, 9],
    ]);
  });
});

describe('the metrics of a request', () => {
  test('a committed payment and refund: MoneyTaken and MoneyRefunded by currency', async () => {
    const id = await invoice();
    const { result, metrics } = await captureOutput(() => pay(id, 1250));
    expect(metrics).toEqual([
      { name: 'MoneyTaken', value: 1250, by: { ...SERVICE, currency: 'USD' }, namespace: 'invoicing-test' },
    ]);
    const refund = { payment_id: result.json.id };
    const given = await captureOutput(() => makers(service).send('POST', '/v2/refunds', refund));
    expect(metricTuples(given.metrics)).toEqual([['MoneyRefunded', 1250, { ...SERVICE, currency: 'USD' }]]);
  });

  test('a replay: IdempotencyReplays is 1, and no money is counted', async () => {
    const [id, key] = [await invoice(), randomUUID()];
    await pay(id, 100, key);
    const { lines, metrics } = await captureOutput(() => pay(id, 100, key));
    expect(lines).toMatchObject([{ status: 201, replayed: true }]);
    expect(metricTuples(metrics)).toEqual([['IdempotencyReplays', 1, SERVICE]]);
  });

  test('a payment as a dry run: a line with dry_run, and no money is counted [CONTRACT §13]', async () => {
    const [body, headers] = [{ invoice_id: await invoice(), amount_cents: 100 }, { 'idempotency-key': randomUUID() }];
    const sendTo = (path: string) => captureOutput(() => service.send(path, { method: 'POST', headers, body }));
    const dry = await sendTo('/v1/payments?dry_run=true');
    expect(dry.lines).toMatchObject([{ message: 'request', status: 201, dry_run: true }]);
    expect(dry.metrics).toEqual([]);
    const real = await sendTo('/v1/payments');
    expect(real.lines).toMatchObject([{ message: 'request', status: 201 }]);
    expect(real.lines[0]).not.toHaveProperty('dry_run');
    expect(metricTuples(real.metrics)).toContainEqual(['MoneyTaken', 100, { ...SERVICE, currency: 'USD' }]);
  });

  test('a key reused with another body: IdempotencyMismatches is 1', async () => {
    const [id, key] = [await invoice(), randomUUID()];
    await pay(id, 100, key);
    const { lines, metrics } = await captureOutput(() => pay(id, 101, key));
    expect(lines).toMatchObject([{ status: 422, code: 'idempotency-key-reused' }]);
    expect(metricTuples(metrics)).toEqual([['IdempotencyMismatches', 1, SERVICE]]);
  });

  test('a refused payment, and a GET: no metric', async () => {
    const id = await invoice();
    const { metrics } = await captureOutput(async () => [
      await pay(id, 5001),
      await service.send(`/v1/invoices/${id}`),
    ]);
    expect(metrics).toEqual([]);
  });

  test('issuer keys that cannot be fetched: 503, JwksFailures is 1, and the reason in the log [CONTRACT §2]', async () => {
    const unreachable = await startService({ JWKS_URL: 'http://127.0.0.1:1/jwks.json' });
    const { result, lines, metrics } = await captureOutput(() => unreachable.send('/v1/invoices'));
    await unreachable.stop();
    expect(result.status).toBe(503);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'WARN', error: expect.anything() }));
    expect(lines).toContainEqual(expect.objectContaining({ message: 'request', status: 503, code: 'unavailable' }));
    expect(metricTuples(metrics)).toEqual([['JwksFailures', 1, SERVICE]]);
  });
});

describe('W3C Trace Context', () => {
  const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  test.each([
    [PARENT, '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['00-xyz-1-01', undefined],
  ])('the traceparent %s: trace_id is %s', async (traceparent, id) => {
    const { lines } = await captureOutput(() => service.send('/v1/invoices', { headers: { traceparent } }));
    expect(lines.map((line) => line['trace_id'])).toEqual([id]);
  });
});

const uniqueText = (): string => `s${randomBytes(9).toString('hex')}`;

/** Sends every kind of request that carries a secret, and returns the secrets. */
const sendSecrets = async () => {
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

describe('secrets', () => {
  test('any request: no token, body, query or idempotency key in the log', async () => {
    const { result, text, lines } = await captureOutput(sendSecrets);
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
});
