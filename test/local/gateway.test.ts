import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { openGateway } from '#local/gateway/gateway.ts';
import { createHandle } from '#local/gateway/handle.ts';
import { rejectMalformedHttp } from '#local/gateway/invalid-requests.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import { stopClock } from '#test/support/service/clock.ts';

const OK: GatewayResult = { statusCode: 200, headers: {} };

let handle: (event: GatewayEvent, context: Context) => Promise<GatewayResult>;
let seconds = 15;
const logged = jest.spyOn(console, 'error');

const route = () => ({
  lambda: { name: 'probe', limits: { seconds, memory_mb: 1024 }, load: async () => handle },
  routeKey: 'ANY /probe',
  parameters: { id: '1' },
});

const gateway = await openGateway(0, createHandle(route));
afterEach(() => {
  logged.mockReset();
});
afterAll(() => gateway.close(0));

const send = (options: RequestInit = {}, path = '/probe'): Promise<Response> => fetch(gateway.url + path, options);

const respondWith = (result: GatewayResult) => {
  handle = async () => result;
};

/** Opens a connection and writes bytes that fetch would not send. */
const raw = async (...parts: readonly (string | Buffer)[]): Promise<Socket> => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return socket;
};

const host = (): string => `Host: ${new URL(gateway.url).host}`;

const bodyOf = (body: string | undefined): unknown => JSON.parse(body?.split('\r\n\r\n')[1] ?? '');

test('each invocation: a context with a request id of its own and 15 s left', async () => {
  const contexts: Context[] = [];
  const left: number[] = [];
  handle = async (_, context) => {
    contexts.push(context);
    left.push(context.getRemainingTimeInMillis());
    return OK;
  };
  stopClock();
  await send();
  await send();
  jest.useRealTimers();
  expect(contexts).toMatchObject([{ functionName: 'probe' }, { functionName: 'probe' }]);
  expect(new Set(contexts.map(({ awsRequestId }) => awsRequestId)).size).toBe(2);
  expect(left).toEqual([15_000, 15_000]);
});

test('a result: status, headers, each cookie and a base64 body are sent unchanged; HEAD has its content-length', async () => {
  const cookies = ['a=1; Path=/', 'b=2'];
  respondWith({ statusCode: 418, headers: { etag: '"1"', 'x-number': 7 }, cookies, body: 'é' });
  const response = await send();
  expect(response.status).toBe(418);
  expect(Object.fromEntries(response.headers)).toMatchObject({ etag: '"1"', 'x-number': '7', 'content-length': '2' });
  expect(response.headers.getSetCookie()).toEqual(cookies);
  expect(await response.text()).toBe('é');
  respondWith({ ...OK, body: '/wD+', isBase64Encoded: true });
  expect([...(await (await send()).bytes())]).toEqual([0xff, 0x00, 0xfe]);
  respondWith({ ...OK, headers: { 'content-length': 42 }, body: '' });
  expect((await send({ method: 'HEAD' })).headers.get('content-length')).toBe('42');
});

const sendHeaders = async (headers: Record<string, string>): Promise<[number, string]> => {
  const [response] = await once(request(`${gateway.url}/probe`, { headers }).end(), 'response');
  return [response.statusCode, await text(response)];
};

test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]', 'API', '[fd00::2]'])(
  'the loopback, or a host in ALLOWED_HOSTS (%s), with this port, a forwarded one or none: the function is invoked',
  async (name) => {
    process.env['ALLOWED_HOSTS'] = 'api, api.internal [fd00::2]';
    respondWith({ ...OK, body: 'reached' });
    for (const port of [`:${new URL(gateway.url).port}`, ':8080', ''])
      expect(await sendHeaders({ host: name + port })).toEqual([200, 'reached']);
    delete process.env['ALLOWED_HOSTS'];
  },
);

test.each([
  ...['evil.test:80', 'localhost.evil.test', '127.0.0.1.evil.test:80', 'user@localhost', '0.0.0.0:80', '[::2]:80'],
  ...['api.evil.test', 'evil-api', '[fd00::3]'],
])(
  'another host, "%s", as a web page could send it by DNS rebinding: 421, and no function is invoked',
  async (name) => {
    process.env['ALLOWED_HOSTS'] = 'api [fd00::2]';
    handle = () => Promise.reject(new Error('reached'));
    const [status, body] = await sendHeaders({ host: name, origin: 'http://evil.test' });
    delete process.env['ALLOWED_HOSTS'];
    const detail = 'This server accepts requests only for 127.0.0.1, [::1], localhost and the hosts in ALLOWED_HOSTS.';
    expect([status, JSON.parse(body)]).toMatchObject([421, { status: 421, code: 'invalid-header', detail }]);
  },
);

test.each([
  ['throws', () => Promise.reject(new Error('boom'))],
  ['returns nothing', async () => undefined as unknown as GatewayResult],
  ['returns an invalid header', async () => ({ ...OK, headers: { 'x-split': 'a\r\nb' } })],
])('a function that %s: 500 with API Gateway’s body, and a line in the log', async (_, failing) => {
  logged.mockImplementation(() => {});
  handle = failing;
  const response = await send();
  expect(response.status).toBe(500);
  expect(await response.text()).toBe('{"message":"Internal Server Error"}');
  expect(logged).toHaveBeenCalledTimes(1);
});

test.each([
  ['6,291,556 bytes', 200, 0],
  ['one byte more', 500, 1],
])('a result of %s: %d, because Lambda fails a larger one', async (_, status, extra) => {
  logged.mockImplementation(() => {});
  const empty = Buffer.byteLength(JSON.stringify({ ...OK, body: '' }));
  respondWith({ ...OK, body: `${'a'.repeat(6_291_556 - empty - 2 + extra)}"` });
  const response = await send();
  expect(response.status).toBe(status);
  if (status === 500) expect(await response.text()).toBe('{"message":"Internal Server Error"}');
});

test('a function that exceeds its timeout: 500 with API Gateway’s body, and a line in the log', async () => {
  logged.mockImplementation(() => {});
  handle = () => new Promise(() => {});
  seconds = 0.02;
  const response = await send();
  seconds = 15;
  expect([response.status, await response.text()]).toEqual([500, '{"message":"Internal Server Error"}']);
  expect(logged).toHaveBeenCalledWith('probe failed:', new Error('The function timed out after 0.02 s.'));
});

const TOO_LARGE = { code: 'body-too-large', status: 413, type: '/problems/body-too-large' };
const LIMIT = 10 * 1024 * 1024;

const TEXT = { 'content-type': 'text/plain' };

test('a body whose event Lambda accepts: the function gets it whole', async () => {
  let length: number | undefined;
  handle = async ({ body }) => {
    length = body?.length;
    return OK;
  };
  await send({ method: 'POST', body: 'a'.repeat(6_000_000), headers: TEXT });
  expect(length).toBe(6_000_000);
});

test.each([
  ['larger than API Gateway accepts', 'a'.repeat(LIMIT + 1)],
  ['of 10 MB, which Lambda does not accept', 'a'.repeat(LIMIT)],
  ['of 4 MB of quotes, which are twice as long in the event', '"'.repeat(4_000_000)],
])('a body %s: 413 as a problem, and no function is invoked [CONTRACT §10]', async (_, body) => {
  handle = () => Promise.reject(new Error('reached'));
  const response = await send({ method: 'POST', body, headers: TEXT });
  expect(response.status).toBe(413);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = await response.json();
  expect(problem).toMatchObject(TOO_LARGE);
  expect(response.headers.get('x-request-id')).toBe((problem as { request_id: string }).request_id);
});

/** The response to the next request that the server reads. */
const nextResponse = (): Promise<ServerResponse> =>
  new Promise((resolve) => {
    const started = (message: unknown) => {
      unsubscribe('http.server.request.start', started);
      resolve((message as { response: ServerResponse }).response);
    };
    subscribe('http.server.request.start', started);
  });

test('a client that disconnects halfway: nothing is logged, and the next request is served', async () => {
  const socket = await raw(`POST / HTTP/1.1\r\n${host()}\r\nContent-Length: 10\r\n\r\n{`);
  socket.resetAndDestroy();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: left, resolve: leave } = Promise.withResolvers<GatewayResult>();
  handle = () => {
    reach();
    return left;
  };
  const disconnected = nextResponse().then((response) => once(response, 'close'));
  const waiting = await raw(`GET / HTTP/1.1\r\n${host()}\r\n\r\n`);
  await reached;
  waiting.resetAndDestroy();
  await disconnected;
  leave({ ...OK, body: 'late' });
  respondWith(OK);
  expect((await send()).status).toBe(200);
  expect(logged).not.toHaveBeenCalled();
});

test.each([
  ['400', 'Bad Header: 1', 'The request is not readable as HTTP.'],
  [
    '431',
    `X-Long: ${'a'.repeat(10_300)}`,
    'The request line and the headers are too large: the limit is 10,240 bytes.',
  ],
])('a malformed HTTP request: %s as a problem [CONTRACT §10]', async (status, header, detail) => {
  const request = `GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
  const answer = await text(await raw(request));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nContent-Type: application/problem\\+json\r\n`, 'i'));
  expect(bodyOf(answer)).toMatchObject({ status: Number(status), detail, request_id: expect.any(String) });
});

test('a request that arrives too slowly: 408, which does not call it unreadable [CONTRACT §10]', () => {
  const socket = Object.assign(new PassThrough(), { setTimeout: () => socket });
  const end = jest.spyOn(socket, 'end');
  rejectMalformedHttp()(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  const detail = 'The request did not arrive in time.';
  expect(bodyOf(String(end.mock.calls[0]?.[0]))).toMatchObject({ status: 408, detail });
});

test('a header of 10,000 bytes, which API Gateway accepts: reaches the function', async () => {
  respondWith(OK);
  expect((await send({ headers: { 'x-long': 'a'.repeat(10_000) } })).status).toBe(200);
});

test('closing with a request that does not end: the connection is cut after the grace period', async () => {
  const closing = await openGateway(0, createHandle(route));
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<GatewayResult>();
  handle = () => {
    reach();
    return answered;
  };
  const response = fetch(closing.url).catch(() => 'cut off');
  await reached;
  await closing.close(100);
  expect(await response).toBe('cut off');
  answer(OK);
});
