import { expect, test } from '@jest/globals';
import { gatewayEvent, type ReceivedRequest } from '#local/gateway/event.ts';

const DEFAULT_ROUTE = { routeKey: '$default', parameters: {} };

const requestWith = (over: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  method: 'GET',
  target: '/v1/invoices',
  rawHeaders: ['Host', 'api.localhost:3000', 'User-Agent', 'curl/8'],
  body: Buffer.alloc(0),
  sourceIp: '127.0.0.1',
  port: 3000,
  time: new Date('2026-11-21T09:30:05.123Z'),
  ...over,
});

const event = (over: Partial<ReceivedRequest>) => gatewayEvent(requestWith(over), DEFAULT_ROUTE);
const post = (type: string, body: string | Buffer) =>
  event({ rawHeaders: type ? ['Content-Type', type] : [], body: Buffer.from(body as string) });

test('an event: payload format 2.0, with a complete request context', () => {
  const route = { routeKey: 'GET /v1/invoices/{invoice_id}', parameters: { invoice_id: '12' } };
  expect(gatewayEvent(requestWith({ target: '/v1/invoices/12?fields=id' }), route)).toEqual({
    version: '2.0',
    routeKey: 'GET /v1/invoices/{invoice_id}',
    rawPath: '/v1/invoices/12',
    rawQueryString: 'fields=id',
    headers: {
      host: 'api.localhost:3000',
      'user-agent': 'curl/8',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': '3000',
      'x-forwarded-proto': 'http',
    },
    queryStringParameters: { fields: 'id' },
    pathParameters: { invoice_id: '12' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'api.localhost',
      domainPrefix: 'api',
      http: {
        method: 'GET',
        path: '/v1/invoices/12',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'curl/8',
      },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      routeKey: 'GET /v1/invoices/{invoice_id}',
      stage: '$default',
      time: '21/Nov/2026:09:30:05 +0000',
      timeEpoch: 1795253405123,
    },
    isBase64Encoded: false,
  });
});

test('headers: names in lower case; values of a repeated header joined with commas in their order', () => {
  const rawHeaders = ['X-Tag', 'b', 'AUTHORIZATION', 'Bearer 1', 'x-tag', 'a, c', 'authorization', 'Bearer 2'];
  expect(event({ rawHeaders }).headers).toMatchObject({ 'x-tag': 'b,a, c', authorization: 'Bearer 1,Bearer 2' });
});

test('headers of the connection: removed', () => {
  const rawHeaders = ['Connection', 'close', 'Transfer-Encoding', 'chunked', 'Expect', '100-continue', 'X-Kept', '1'];
  const { headers } = event({ rawHeaders });
  expect(Object.keys(headers).filter((name) => !name.startsWith('x-forwarded'))).toEqual(['x-kept']);
});

test('cookies: each by itself in cookies, and not in headers', () => {
  const { cookies, headers } = event({ rawHeaders: ['Cookie', 'a=1; b="x;y', 'cookie', 'c=3'] });
  expect(cookies).toEqual(['a=1', 'b="x', 'y', 'c=3']);
  expect(headers).not.toHaveProperty('cookie');
});

test.each([
  ['/v1/invoices', '/v1/invoices', ''],
  ['/v1/a%20b%C3%A9', '/v1/a bé', ''],
  ['/v1/100%', '/v1/100%', ''],
  ['/v1/a?x=%zz&y=a+b%20c', '/v1/a', 'x=%zz&y=a+b%20c'],
  ['/v1/a?x=1?y=2', '/v1/a', 'x=1?y=2'],
  ['//v1/a', '//v1/a', ''],
  ['http://127.0.0.1:3000/v1/a?b', '/v1/a', 'b'],
  ['http://127.0.0.1:3000?b', '/', 'b'],
  ['*', '*', ''],
])('target %s: path %s, decoded; query %s, unchanged', (target, rawPath, rawQueryString) => {
  expect(event({ target })).toMatchObject({ rawPath, rawQueryString });
});

test('query parameters: decoded; values of a repeated parameter joined with commas', () => {
  const { queryStringParameters } = event({ target: '/?a=1&b=x+y%2C&a=&a=2&c&constructor=d' });
  expect(queryStringParameters).toEqual({ a: '1,,2', b: 'x y,', c: '', constructor: 'd' });
});

test.each([
  ...['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/xml', 'application/javascript'],
  ...['text/plain', 'text/csv;header=present'],
])('a body of type %s: text', (type) => {
  expect(post(type, '{"é":1}')).toMatchObject({ body: '{"é":1}', isBase64Encoded: false });
});

test.each([
  ...['application/merge-patch+json', 'application/json5', 'application/x-www-form-urlencoded'],
  ...['application/octet-stream', 'image/png', ''],
])('a body of type %p: base64', (type) => {
  expect(post(type, '{}')).toMatchObject({ body: 'e30=', isBase64Encoded: true });
});

test('a body that is not valid UTF-8: keeps its bytes as base64, whatever its type [CONTRACT §12]', () => {
  const body = Buffer.from([0x22, 0xff, 0x22]);
  expect(post('application/json', body)).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
});
