import { expect, test } from '@jest/globals';
import { gatewayEvent, type ReceivedRequest } from '#local/gateway/event.ts';

const event = (changes: Partial<ReceivedRequest>) =>
  gatewayEvent(
    {
      method: 'GET',
      target: '/v1/invoices',
      rawHeaders: [],
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
      port: 3000,
      time: new Date(),
      ...changes,
    },
    { routeKey: '$default', parameters: {} },
  );

test('headers: names in lower case, joined values of a repeated header, and the scheme; no cookies and none of the connection', () => {
  const repeated = ['X-Tag', 'b', 'AUTHORIZATION', 'Bearer 1', 'x-tag', 'a, c', 'authorization', 'Bearer 2'];
  const { headers, cookies } = event({ rawHeaders: [...repeated, 'Connection', 'close', 'Cookie', 'a=1; b=2'] });
  expect(headers).toEqual({
    'x-tag': 'b,a, c',
    authorization: 'Bearer 1,Bearer 2',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-port': '3000',
    'x-forwarded-proto': 'http',
  });
  expect(cookies).toEqual(['a=1', 'b=2']);
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

test('a body that is not valid UTF-8: keeps its bytes as base64, whatever its type [CONTRACT §12]', () => {
  const body = Buffer.from([0x22, 0xff, 0x22]);
  const rawHeaders = ['Content-Type', 'application/json'];
  expect(event({ rawHeaders, body })).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
});
