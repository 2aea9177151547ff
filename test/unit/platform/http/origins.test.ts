import { expect, test } from '@jest/globals';
import { parseOrigins } from '#shared/platform/http/origins.ts';

test.each<[pattern: string, allowed: readonly string[], refused: readonly string[]]>([
  ['*', ['https://a.test', 'null', 'capacitor://localhost'], []],
  ['null', ['null'], ['https://null']],
  [
    'https://app.example.com',
    ['https://app.example.com'],
    ['http://app.example.com', 'https://app.example.com:8443', 'https://a.app.example.com'],
  ],
  ['http://localhost:5173', ['http://localhost:5173'], ['http://localhost']],
  ['http://[::1]:5173', ['http://[::1]:5173'], ['http://[::1]']],
  ['capacitor://localhost', ['capacitor://localhost'], ['capacitor://other', 'https://localhost']],
  ['chrome-extension://abcdefghijklmnop', ['chrome-extension://abcdefghijklmnop'], ['chrome-extension://abc']],
  [
    'https://*.example.com',
    ['https://app.example.com', 'https://a.b-c.example.com', 'https://xn--bcher-kva.example.com'],
    [
      'https://example.com',
      'https://.example.com',
      'https://evilexample.com',
      'https://app.example.com:8443',
      'http://app.example.com',
      'https://app.example.com.evil.test',
      'https://evil.test/.example.com',
      'https://evil.test?.example.com',
      'https://user@app.example.com',
      'https://app.exampleXcom',
      'https://app.example.com\nhttps://x',
    ],
  ],
  ['https://*.example.com:8443', ['https://app.example.com:8443'], ['https://app.example.com']],
  ['my+app://*.example.com', ['my+app://app.example.com'], ['mmyapp://app.example.com']],
])('the origin %s in CORS_ORIGINS: allows %j and no origin of %j [CONTRACT §10]', (pattern, allowed, refused) => {
  const origins = parseOrigins([pattern]);
  expect(allowed.filter((origin) => !origins?.allows(origin))).toEqual([]);
  expect(refused.filter((origin) => origins?.allows(origin))).toEqual([]);
});

test.each([
  'a.test',
  'https://a.test/',
  'https://a.test/path',
  'https://A.test',
  'https://a.test:443',
  'https://user@a.test',
  'https://*',
  'https://*.',
  'https://a.*.test',
  'https://*a.test',
  'https://*.*.test',
  'https://*.a.test/',
  '*://a.test',
  '*.a.test',
  'capacitor://',
  'capacitor:localhost',
  'capacitor://localhost/',
  'NULL',
])('CORS_ORIGINS=%s: refused at the start [CONTRACT §10, §12]', (pattern) => {
  expect(parseOrigins(['https://a.test', pattern])).toBeUndefined();
});
