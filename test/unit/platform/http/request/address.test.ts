import { expect, test } from '@jest/globals';
import { addressOf } from '#shared/platform/http/request/address.ts';

test.each<[headers: Readonly<Record<string, string>>, address: string]>([
  [
    { host: 'a1.execute-api.eu-central-1.amazonaws.com', 'x-forwarded-proto': 'https' },
    'https://a1.execute-api.eu-central-1.amazonaws.com',
  ],
  [{ host: '127.0.0.1:3000', 'x-forwarded-proto': 'http' }, 'http://127.0.0.1:3000'],
  [{ host: '[::1]:3000', 'x-forwarded-proto': 'http' }, 'http://[::1]:3000'],
  [{ host: 'a1.example.com', 'x-forwarded-host': 'd1.cloudfront.net' }, 'https://d1.cloudfront.net'],
  [{ host: 'a1.example.com', 'x-forwarded-host': 'evil.test", error="' }, 'https://a1.example.com'],
  [{ host: 'a1.example.com', 'x-forwarded-host': 'evil.test/path' }, 'https://a1.example.com'],
  [{ host: 'a1.example.com', 'x-forwarded-proto': 'javascript' }, 'https://a1.example.com'],
])('the headers %j: the address %s [CONTRACT §2, §4]', (headers, address) => {
  expect(addressOf(headers)).toBe(address);
});
