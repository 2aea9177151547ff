import { format, inspect } from 'node:util';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { type Client, createClient, InvoicingError } from '#client/source/index.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { cpuMillisecondsOf } from '#test/support/waiting/cpu-time.ts';
import { until } from '#test/support/waiting/until.ts';
import { type Pause, replacePauses } from './pauses.ts';
import { problem, serveApi } from './serve-api.ts';

const served = await serveApi();
afterAll(() => served.stop());
afterEach(() => {
  served.wire.plan();
  jest.restoreAllMocks();
});

/** Retries without a delay, except for a `Retry-After`. */
const retryAtOnce = () => jest.spyOn(Math, 'random').mockReturnValue(0);
const catchError = async (promise: Promise<unknown>): Promise<InvoicingError> => {
  const error = await promise.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvoicingError);
  return error as InvoicingError;
};
const keys = () => served.wire.calls.map(({ headers }) => headers.get('idempotency-key'));
const total = async (list: string) => (await served.service.send(`/v1/${list}?per_page=1`)).json.total_count;

test('an invoice created with its items: read with them, but not in a list', async () => {
  const client = served.client();
  const { id, total_cents } = await client.invoices.create({ items: [{ description: 'A', unit_amount_cents: 5 }] });
  const invoice = await client.invoices.get(id, { fields: ['id'], expand: ['items'] });
  expect([total_cents, invoice]).toMatchObject([5, { id, items: [{ invoice_id: id, amount_cents: 5 }] }]);
  // @ts-expect-error a list cannot embed items
  const error = await catchError(client.invoices.list({ expand: ['items'] }));
  expect(error).toMatchObject({ code: 'validation-failed' });
});

test('a v2 client: sends and returns money objects [CONTRACT §4]', async () => {
  const client = served.client({ version: 'v2' });
  const invoice = await client.invoices.create({ total: { amount: 1250, currency: 'EUR' } });
  const payment = await client.payments.create({ invoice_id: invoice.id, amount: { amount: 1250 } });
  expect([invoice.total, payment.amount]).toEqual(Array(2).fill({ amount: 1250, currency: 'EUR' }));
});

test('a problem: an error with its code, its status and all its members [CONTRACT §10]', async () => {
  const client = served.client();
  const invoice = await client.invoices.create({ total_cents: 5 });
  const error = await catchError(client.payments.create({ invoice_id: invoice.id, amount_cents: 6 }));
  expect(error).toMatchObject({ code: 'amount-exceeds-due', status: 422, problem: { amount_due_cents: 5 } });
  expect(error.problem?.errors).toMatchObject([{ pointer: '/amount_cents' }]);
  expect(error.request).toEqual({ method: 'POST', path: '/v1/payments' });
  expect(error.requestId).toBe(error.problem?.request_id);
  const { detail, errors: [{ detail: reason = '' } = {}] = [] } = error.problem ?? {};
  expect(error.message).toBe(
    `amount-exceeds-due: ${detail} (POST /v1/payments; request ${error.requestId})\n` +
      `  /amount_cents amount-exceeds-due: ${reason}`,
  );
});

test('a request with several errors: printed with the place, the code and the detail of each [CONTRACT §10]', async () => {
  const body = { name: 1, ...Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, i])) };
  const error = await catchError(served.client().customers.create(body as unknown as { name: string }));
  const { errors = [], detail, request_id } = error.problem ?? {};
  expect(errors.length).toBe(101);
  const lines = errors.map((one) => `  ${one.pointer ?? ''} ${one.code}: ${one.detail}`);
  expect(error.message).toBe(
    [`validation-failed: ${detail} (POST /v1/customers; request ${request_id})`, ...lines].join('\n'),
  );
  for (const printed of [String(error), error.stack, inspect(error), format('%s', error)])
    expect(printed).toContain(error.message);
});

test('an error of a parameter or a header: printed with its name [CONTRACT §10]', async () => {
  const client = served.client();
  const query = await catchError(Promise.resolve(client.invoices.list({ limit: 0 })));
  expect(query.message).toContain('\n  limit out-of-range: must be an integer in 1…100');
  served.wire.plan(() => {
    const errors = [{ header: 'If-Match', code: 'malformed', detail: 'must be an ETag' }];
    const headers = { 'content-type': 'application/problem+json' };
    return Response.json({ status: 400, detail: 'No.', code: 'invalid-header', errors }, { status: 400, headers });
  });
  expect((await catchError(client.invoices.get(1))).message).toContain('\n  If-Match malformed: must be an ETag');
});

describe('an id that the service cannot have issued: a TypeError, and no request [CONTRACT §3]', () => {
  const wrong = [
    ...['.', '..', '%2e%2e', '../invoices?a', 'a/b', '', ' 1', '1 ', '01', '+1', '1e3', '0x1', '1.0', '١', '\0'],
    ...['9007199254740992', 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, null, undefined, true, {}, []],
  ];
  const calls: Readonly<Record<string, (client: Client<'v1'>, id: number) => unknown>> = {
    get: ({ customers }, id) => customers.get(id),
    read: ({ customers }, id) => customers.read(id),
    patch: ({ customers }, id) => customers.patch(id, {}),
    update: ({ customers }, id) => customers.update(id, {}),
    replace: ({ customers }, id) => customers.replace(id, { name: 'Ada' }),
    delete: ({ customers }, id) => customers.delete(id),
    'an action': ({ invoices }, id) => invoices.cancel(id),
    'an action with a body': ({ webhookEndpoints }, id) => webhookEndpoints.rewind(id, { sequence: 0 }),
    'a nested list': ({ invoices }, id) => invoices.payments(id).list().then(),
    'a member of a nested list': ({ invoices }, id) => invoices.payments(1).get(id),
    'an event': ({ events }, id) => events.get(id),
    'exports.wait': ({ exports }, id) => exports.wait(id),
    'exports.download': ({ exports }, id) => exports.download(id),
  };

  test.each(Object.entries(calls))('%s', async (_, call) => {
    const client = served.client();
    for (const id of wrong) {
      const error = await (async () => call(client, id as number))().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TypeError);
      const shown = JSON.stringify(String(id));
      expect((error as Error).message).toBe(`An id must be an integer from 1 to 9007199254740991, not ${shown}.`);
    }
    expect(served.wire.calls).toEqual([]);
  });
});

test.each([1, 2 ** 53 - 1, '1', '9007199254740991'])('the id %j: sent', async (id) => {
  expect(await catchError(served.client().customers.get(id as number))).toMatchObject({ code: 'not-found' });
  expect(served.wire.calls.map(({ path }) => path)).toEqual([`/v1/customers/${id}`]);
});

test.each([
  ...['localhost:3000', '127.0.0.1:3000', 'ftp://127.0.0.1', 'http://127.0.0.1/?a=1', 'http://127.0.0.1/#a'],
  ...['http://127.0.0.1/v1/', '', undefined, {}, 'http://me:pa55@127.0.0.1', 'http://:pa55@127.0.0.1/v1'],
  ...['http://pa55@a', 'ftp://a:pa55@b', 'http://a:pa55@ b'],
])('baseUrl %j: a TypeError that states what is wrong, without the password', (baseUrl) => {
  const create = () => createClient({ baseUrl: baseUrl as string, token: 'x' });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(/^baseUrl must (?!.*pa55)/);
});

test.each([
  ['http://127.0.0.1', 'http://127.0.0.1'],
  ['https://api.example.com//', 'https://api.example.com'],
  ['https://example.com/invoicing/', 'https://example.com/invoicing'],
  ['https://example.com/?', 'https://example.com'],
  ['https://example.com/a#', 'https://example.com/a'],
])('baseUrl %s: requests go to %s', async (baseUrl, address) => {
  const urls: unknown[] = [];
  const answer = async (url: unknown) => {
    urls.push(url);
    return Response.json({ id: 1 });
  };
  await createClient({ baseUrl, token: 'x', fetch: answer }).invoices.get(1);
  expect(urls).toEqual([`${address}/v1/invoices/1`]);
});

test.each(['b', ''])('baseUrl with 200,000 slashes, then %j: checked in linear time', (end) => {
  const check = () => createClient({ baseUrl: `http://a${'/'.repeat(200_000)}${end}`, token: 'x' });
  // A quadratic check takes minutes.
  expect(cpuMillisecondsOf(check)).toBeLessThan(10_000);
});

test.each([
  [undefined, 'token must be a string or a function, not undefined.'],
  [null, 'token must be a string or a function, not object.'],
  ['', 'token must not be empty.'],
  ['two words', 'token must not contain white space or letters beyond ASCII.'],
  ['line\n', 'token must not contain white space or letters beyond ASCII.'],
])('token %j: a TypeError without the token', async (token, message) => {
  const wrong = token as string;
  for (const fail of [
    async () => createClient({ baseUrl: served.url, token: wrong }),
    () => served.client({ token: () => wrong }).invoices.get(1),
  ]) {
    await expect(fail).rejects.toThrow(new TypeError(message));
  }
});

test('a POST of several attempts: one key for all attempts, and one payment [§4]', async () => {
  retryAtOnce();
  const client = served.client();
  const invoice = await client.invoices.create({ total_cents: 5000 });
  const before = await total('payments');
  served.wire.plan((_, call) => (call === 0 ? 'lost-response' : call === 1 ? problem(503, 'unavailable') : undefined));
  const payment = await client.payments.create({ invoice_id: invoice.id, amount_cents: 100 });
  expect(payment.amount_cents).toBe(100);
  expect(await total('payments')).toBe(before + 1);
  expect([keys().length, new Set(keys()).size]).toEqual([3, 1]);
  await client.payments.create({ invoice_id: invoice.id, amount_cents: 100 });
  expect([new Set(keys()).size, await total('payments')]).toEqual([2, before + 2]);
});

test('GET, PUT or DELETE whose response is lost: sent again, and 404 after a lost DELETE is success [§4]', async () => {
  retryAtOnce();
  const client = served.client();
  const { id } = await client.customers.create({ name: 'Ada' });
  const once = (_: unknown, call: number) => (call === 0 ? ('lost-response' as const) : undefined);
  for (const work of [
    () => client.customers.get(id),
    () => client.customers.replace(id, { name: 'B' }),
    () => client.customers.delete(id),
  ]) {
    served.wire.plan(once);
    await work();
    expect(served.wire.calls.length).toBe(2);
  }
  served.wire.plan();
  expect((await catchError(client.customers.delete(id))).code).toBe('not-found');
});

test('a write whose responses are all lost: isUnsure; a read or a dry run: not, because it has no effect', async () => {
  retryAtOnce();
  const { customers } = served.client({ retries: 1 });
  served.wire.plan(() => 'never-sent');
  const calls = {
    create: customers.create({ name: 'Ada' }),
    patch: customers.patch(1, { name: 'B' }),
    replace: customers.replace(1, { name: 'B' }),
    delete: customers.delete(1),
    get: customers.get(1),
    'dry run': customers.delete(1, { dryRun: true }),
  };
  const errors = await Promise.all(Object.values(calls).map(catchError));
  expect(errors.map(({ code, attempts, isUnsure }) => [code, attempts, isUnsure])).toEqual([
    ...Array(4).fill(['network-error', 2, true]),
    ...Array(2).fill(['network-error', 2, false]),
  ]);
});

test('the last retry fails: an error with the number of attempts', async () => {
  retryAtOnce();
  served.wire.plan(() => 'never-sent');
  expect(await catchError(served.client().invoices.get(1))).toMatchObject({ code: 'network-error', attempts: 5 });
  expect(await catchError(served.client({ retries: 1 }).invoices.get(1))).toMatchObject({ attempts: 2 });
  expect(await catchError(served.client({ retries: 0 }).invoices.get(1))).toMatchObject({ attempts: 1 });
});

test('409 request-in-progress: sent again with the same key after Retry-After [CONTRACT §8]', async () => {
  retryAtOnce();
  served.wire.plan((_, call) => (call === 0 ? problem(409, 'request-in-progress', { 'retry-after': '1' }) : undefined));
  const pauses = replacePauses();
  await served.client().invoices.create({});
  expect(pauses.map(({ ms }) => ms)).toEqual([1000]);
  expect(new Set(keys()).size).toBe(1);
});

test('429 of an account above its limit: no request of the client is sent before Retry-After [CONTRACT §16]', async () => {
  const headers = { 'retry-after': '1', ratelimit: '"account";r=0;t=1' };
  const times: number[] = [];
  served.wire.plan((_, call) => {
    times.push(Date.now());
    return call === 0 ? problem(429, 'too-many-requests', headers) : undefined;
  });
  const held: Pause[] = [];
  const start = Date.now();
  stopClock(start);
  replacePauses((pause) => held.push(pause));
  const client = served.client();
  const calls: Promise<unknown>[] = [client.invoices.create({})];
  await until(() => held.length === 1);
  calls.push(client.invoices.create({}), client.customers.create({ name: 'Ada' }));
  await until(() => held.length === 3);
  const [retry = 0, ...others] = held.map(({ ms }) => ms);
  expect([retry >= 1000, others]).toEqual([true, [1000, 1000]]);
  jest.setSystemTime(start + 1000);
  for (const pause of held) pause.end();
  await Promise.all(calls);
  jest.useRealTimers();
  expect(times).toEqual([start, start + 1000, start + 1000, start + 1000]);
});

test('a response of the gateway itself: the error unexpected-answer with its status', async () => {
  served.wire.plan(() => Response.json({ message: 'Internal Server Error' }, { status: 500 }));
  expect(await catchError(served.client().invoices.get(1))).toMatchObject({ code: 'unexpected-answer', status: 500 });
  served.wire.plan(() => new Response('<html>', { status: 403 }));
  expect(await catchError(served.client().invoices.get(1))).toMatchObject({ code: 'unexpected-answer', status: 403 });
  served.wire.plan(() => Response.json({ code: 'not-found' }, { status: 404 }));
  expect(await catchError(served.client().invoices.get(1))).toMatchObject({ code: 'unexpected-answer', status: 404 });
});

test('an attempt that exceeds the timeout: aborted, and sent again', async () => {
  retryAtOnce();
  served.wire.plan(async ({ init }) => {
    await new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    return undefined;
  });
  const error = await catchError(served.client({ timeout: 30, retries: 1 }).invoices.get(1));
  expect(error).toMatchObject({ code: 'timeout', attempts: 2 });
  expect(error.message).toBe('timeout: no response in 30 ms (GET /v1/invoices/1)');
});

test('an aborted signal: ends a call at once, waits and retries included, with its reason', async () => {
  served.wire.plan(() => problem(503, 'unavailable', { 'retry-after': '50' }));
  const stopping = new AbortController();
  const pauses = replacePauses(() => {});
  const call = served.client().invoices.get(1, {}, { signal: stopping.signal });
  await until(() => pauses.length > 0);
  stopping.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect(served.client().invoices.get(1, {}, { signal: stopping.signal })).rejects.toThrow('enough');
  served.wire.plan();
  await expect(served.client().invoices.list({}, { signal: AbortSignal.abort('over') })).rejects.toBe('over');
});

test('the token function: called before every attempt, and not called again when it fails', async () => {
  retryAtOnce();
  const tokens = ['expired', await served.service.token()];
  served.wire.plan((_, call) => (call === 0 ? problem(503, 'unavailable') : undefined));
  await served.client({ token: () => tokens.shift() as string }).invoices.list();
  expect(served.wire.calls.map(({ headers }) => headers.get('authorization')?.slice(0, 10))).toEqual([
    'Bearer exp',
    'Bearer eyJ',
  ]);
  await expect(served.client({ token: () => Promise.reject(new Error('no login')) }).invoices.get(1)).rejects.toThrow(
    'no login',
  );
  expect(await catchError(served.client({ token: 'wrong' }).invoices.get(1))).toMatchObject({
    code: 'unauthenticated',
  });
});

test('401 with a token function: one new attempt, for which the function is called with true', async () => {
  retryAtOnce();
  const token = await served.service.token();
  const calls: boolean[] = [];
  const renew = (isRefused: boolean) => {
    calls.push(isRefused);
    return isRefused ? token : 'expired';
  };
  const { id } = await served.client({ token: renew }).customers.create({ name: 'Ada' });
  expect(id).toBeGreaterThan(0);
  expect([calls, new Set(keys()).size]).toEqual([[false, true], 1]);
});

test('401 again, between other faults: the error unauthenticated, after one new attempt for the request', async () => {
  retryAtOnce();
  const calls: boolean[] = [];
  served.wire.plan((_, call) => (call === 1 ? problem(503, 'unavailable') : undefined));
  const token = (isRefused: boolean) => {
    calls.push(isRefused);
    return 'revoked';
  };
  const error = await catchError(served.client({ token }).customers.create({ name: 'Ada' }));
  expect(error).toMatchObject({ code: 'unauthenticated', status: 401, attempts: 3 });
  expect(calls).toEqual([false, true, false]);
});

test.each([
  ['a fixed token', { token: 'revoked' }],
  ['no retries', { token: () => 'revoked', retries: 0 }],
])('401 with %s: sent once', async (_, options) => {
  const error = await catchError(served.client(options).customers.create({ name: 'Ada' }));
  expect(error).toMatchObject({ code: 'unauthenticated', attempts: 1, isUnsure: false });
});

test('any request: sent with cache no-cache, so that a browser revalidates its cache', async () => {
  await served.client().invoices.list();
  expect(served.wire.calls.map(({ init }) => init.cache)).toEqual(['no-cache']);
});
