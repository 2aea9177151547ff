import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/platform/http/endpoint.ts';
import { createMemory } from '#shared/platform/limits/limiter.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import type { Answer, Caller, Sent } from '#test/support/service/client.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/** A budget of 100, of which each write is counted, so that the figures are exact. */
const RATE = 10;
const BUDGET = 100;
const WRITE = 5;

enableTelemetryOfFile();
/** The counter is never too slow on a busy machine. */
const memory = createMemory(20_000);
let service: LocalService;
let faults: Faults;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: String(RATE) }, { memory });
  faults = injectFaults(service.client);
});
afterAll(() => service.stop());
afterEach(() => {
  faults.plan();
  jest.useRealTimers();
  memory.unreachableUntil = 0;
});

const newCaller = () => makers(service, { account: newAccount() });
const leftOf = ({ headers }: Answer): number =>
  Number(/^"account";r=(\d+);t=\d+$/.exec(headers['ratelimit'] ?? '')?.[1]);
const customer = (name = 'Ada') => ({ name });

/** Uses the whole budget of an account, while the clock stands still. */
const exhaust = async (caller: ReturnType<typeof newCaller>): Promise<Answer> => {
  stopClock();
  for (let i = 0; i < BUDGET / WRITE; i++)
    expect((await caller.send('POST', '/v1/customers', customer())).status).toBe(201);
  return caller.send('POST', '/v1/customers', customer());
};

test('the cost of a request: 1 for a member, 2 for a collection, 5 for any other request [CONTRACT §16]', () => {
  for (const endpoint of Object.values(endpoints)) {
    if (isPublic(endpoint)) continue;
    const { method, path, route, cost } = endpoint;
    const isCollection = /\/(payments|[a-z-]+)$/.test(path) && !path.endsWith('/file');
    expect([route, cost]).toEqual([route, method !== 'GET' ? 5 : isCollection ? 2 : 1]);
  }
});

test('requests within the budget: the rest decreases by their costs, and returns with time [CONTRACT §16]', async () => {
  stopClock();
  const { send, account_id } = newCaller();
  const answers = [
    await send('POST', '/v1/customers', customer()),
    await send('POST', '/v2/customers?dry_run=true', customer()),
    await send('POST', '/v1/customers', { nope: 1 }),
    await send('GET', '/v1/customers'),
    await send('GET', '/v1/customers/1'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 422, 200, 404]);
  expect(answers.map(leftOf)).toEqual([95, 90, 85, 83, 82]);
  for (const { headers } of answers) expect(headers['ratelimit-policy']).toBe('"account";q=100;w=10');
  stopClock(Date.now() + 1000);
  expect(leftOf(await send('GET', '/v1/customers/1'))).toBe(91);
  expect(
    leftOf(await makers(service, { account: `${account_id}_other` }).send('POST', '/v1/customers', customer())),
  ).toBe(95);
});

test('an account above its budget: 429 with the headers, a log line and a metric; a quiet account gets its responses [CONTRACT §16]', async () => {
  const { result, lines, metrics } = await captureOutput(async () => {
    const noisy = newCaller();
    const first = await exhaust(noisy);
    const quiet = await newCaller().send('POST', '/v1/customers', customer());
    return { first, again: await noisy.send('GET', '/v1/customers/1'), quiet };
  });
  const { first, again, quiet } = result;
  expect(outcome(first)).toEqual([429, 'too-many-requests']);
  expect(first.headers).toMatchObject({
    'retry-after': '1',
    ratelimit: '"account";r=0;t=1',
    'ratelimit-policy': '"account";q=100;w=10',
  });
  expect(first.json).toMatchObject({
    detail: 'The account has used its budget: 10 a second, and 100 at once.',
    'violated-policies': ['account'],
  });
  expect([outcome(again), again.headers['ratelimit']]).toEqual([[429, 'too-many-requests'], '"account";r=0;t=1']);
  expect([quiet.status, leftOf(quiet)]).toEqual([201, 95]);
  expect(lines.filter(({ code }) => code === 'too-many-requests')).toMatchObject([
    { budget_left: 0 },
    { budget_left: 0, dynamodb_calls: 0 },
  ]);
  expect(metrics.filter(({ name }) => name === 'RequestsOverLimit')).toHaveLength(2);
});

test('a refused request with a recorded key: 429 like any other; the replay also costs 5 [CONTRACT §16]', async () => {
  const caller = newCaller();
  const key = { 'idempotency-key': randomUUID() };
  stopClock();
  expect(leftOf(await caller.send('POST', '/v1/customers', customer(), key))).toBe(95);
  expect(leftOf(await caller.send('POST', '/v1/customers', customer(), key))).toBe(90);
  for (let i = 0; i < 18; i++) await caller.send('POST', '/v1/customers', customer());
  stopClock(Date.now() + 100);
  expect(outcome(await caller.send('POST', '/v1/customers', customer(), key))).toEqual([429, 'too-many-requests']);
});

test('the order of checks: 401, then 429, then 403, 400 and 422 [CONTRACT §2]', async () => {
  const caller = newCaller();
  await exhaust(caller);
  const { account_id } = caller;
  const send = (as: Caller, sent: Sent = {}) =>
    service.send('/v1/customers?nope=1', {
      method: 'POST',
      body: '{',
      as: { account: account_id, ...as },
      ...sent,
    });
  for (const _ of ['from the memory', 'from the counter']) {
    expect(outcome(await send({ claims: { exp: 1 } }))).toEqual([401, 'unauthenticated']);
    const answers = [await send({}), await send({ scope: 'events:read' })];
    expect(answers.map(outcome)).toEqual(Array(2).fill([429, 'too-many-requests']));
    for (const { headers } of answers) expect(headers).not.toHaveProperty('www-authenticate');
    stopClock(Date.now() + 200);
  }
});

test.each(['never-sent', 'lost-response', 'timeout'] as const)(
  'a counter that is unreachable (%s): requests are processed, and only the first request calls the counter [CONTRACT §16]',
  async (fault) => {
    const { send } = newCaller();
    stopClock();
    faults.plan(({ command }) => (command === 'UpdateItemCommand' ? fault : undefined));
    const { result, metrics } = await captureOutput(async () => [
      await send('POST', '/v1/customers', customer()),
      await send('POST', '/v1/customers', customer()),
    ]);
    expect(result.map(({ status }) => status)).toEqual([201, 201]);
    expect(metrics.filter(({ name }) => name === 'LimitsUnreachable')).toHaveLength(1);
    faults.plan();
    stopClock(Date.now() + 1001);
    expect(leftOf(await send('POST', '/v1/customers', customer()))).toBeLessThan(BUDGET);
  },
);

test('throttled charges, after one attempt and a read: a quiet account gets its response, an account without budget 429 [CONTRACT §16]', async () => {
  const [quiet, noisy] = [newCaller(), newCaller()];
  await exhaust(noisy);
  stopClock(Date.now() + 200);
  faults.plan(({ command }) => (command === 'UpdateItemCommand' ? 'throttling' : undefined));
  const { result, metrics } = await captureOutput(async () => ({
    created: await quiet.send('POST', '/v1/customers', customer()),
    refused: await noisy.send('POST', '/v1/customers', customer()),
  }));
  expect([result.created.status, leftOf(result.created)]).toEqual([201, BUDGET - WRITE]);
  expect([...outcome(result.refused), result.refused.headers['retry-after']]).toEqual([429, 'too-many-requests', '1']);
  expect(faults.attempts.filter((command) => command === 'UpdateItemCommand')).toHaveLength(2);
  expect(faults.attempts.filter((command) => command === 'GetItemCommand')).toHaveLength(2);
  expect(metrics.filter(({ name }) => name === 'LimitsUnreachable')).toHaveLength(1);
});

test('a counter that takes longer than 50 ms: the request is processed without it [CONTRACT §16]', async () => {
  const own = await startService({ RATE_LIMIT_PER_SECOND: String(RATE) }, { memory: createMemory() });
  let release = () => {};
  own.client.middlewareStack.add(
    (next) => async (call) => {
      const { TableName } = call.input as { TableName?: string };
      if (TableName === 'limits') await new Promise<void>((resolve) => (release = resolve));
      return next(call);
    },
    { step: 'initialize', name: 'slow' },
  );
  const { result, metrics } = await captureOutput(() =>
    own.send('/v1/customers', { method: 'POST', body: customer() }),
  );
  release();
  expect([result.status, result.headers['ratelimit'], result.headers['ratelimit-policy']]).toEqual([
    201,
    undefined,
    '"account";q=100;w=10',
  ]);
  expect(metrics.map(({ name }) => name)).toContain('LimitsUnreachable');
  await own.stop();
});

test('64 creations at once at the end of the budget: as many are accepted as fit [CONTRACT §16]', async () => {
  const caller = newCaller();
  stopClock();
  // The account is known to be near its limit, so that each request waits for the counter.
  for (let i = 0; i < 10; i++) await caller.send('POST', '/v1/customers', customer());
  const answers = await Promise.all(Array.from({ length: 64 }, () => caller.send('POST', '/v1/customers', customer())));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(201), ...Array(54).fill(429)]);
  expect(await rowsOf(service, 'customers', caller.account_id)).toHaveLength(20);
});

test('64 creations at once of an account without requests: at most as many as fit are accepted [CONTRACT §16]', async () => {
  const caller = newCaller();
  stopClock();
  const answers = await Promise.all(Array.from({ length: 64 }, () => caller.send('POST', '/v1/customers', customer())));
  const accepted = answers.filter(({ status }) => status === 201).length;
  expect(accepted).toBe(BUDGET / WRITE);
  expect(await rowsOf(service, 'customers', caller.account_id)).toHaveLength(accepted);
});

test('calls of the counter that fail: RateLimit states the rest as before [CONTRACT §16]', async () => {
  const { send } = newCaller();
  stopClock();
  faults.plan(({ command }) => (command === 'UpdateItemCommand' ? 'never-sent' : undefined));
  for (let i = 0; i < 5; i++) {
    await send('POST', '/v1/customers', customer());
    stopClock(Date.now() + 1001);
  }
  faults.plan();
  expect(leftOf(await send('POST', '/v1/customers', customer()))).toBe(BUDGET - WRITE);
});

test('RATE_LIMIT_PER_SECOND=0: no limit, no headers and no call [CONTRACT §16]', async () => {
  const own = await startService({ RATE_LIMIT_PER_SECOND: '0' });
  const answer = await own.send('/v1/customers');
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  expect(await rowsOf(own, 'limits', 'acct_1')).toEqual([]);
  await own.stop();
});
