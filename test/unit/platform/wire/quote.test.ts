import { expect, test } from '@jest/globals';
import { quote } from '#shared/platform/wire/quote.ts';

test.each([
  ['a b', '"a b"'],
  ['é😀"', '"é😀\\""'],
  ['\ufeff', '"\\ufeff"'],
  ['a\u200b\u00a0\u2028\u3000', '"a\\u200b\\u00a0\\u2028\\u3000"'],
  ['\u0000\u0085\u202e', '"\\u0000\\u0085\\u202e"'],
  ['\u{e0001}', '"\\udb40\\udc01"'],
  ['\ud800', '"\\ud800"'],
])('%j in a detail: %s, so that each character is visible [CONTRACT §10]', (value, quoted) => {
  expect(quote(value)).toBe(quoted);
  expect(JSON.parse(quote(value))).toBe(value);
});

test('a value of more than 100 characters: its first 100 [CONTRACT §10]', () => {
  expect(quote('😀'.repeat(101))).toBe(`"${'😀'.repeat(100)}…"`);
});
