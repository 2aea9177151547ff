import { expect, test } from '@jest/globals';
import { describeJsonError, jsonErrorIndex } from '#shared/platform/http/request/json-error.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { cpuMillisecondsOf } from '#test/support/waiting/cpu-time.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const inserted = fc.oneof(
  fc.constantFrom(...'{}[]",:\\/u0-+.eE1 \n\u0001', 'null', 'tru', '\\u12', '\\x', '😀'),
  fc.string(),
);

/** JSON with a few characters replaced by others. */
const damaged = fc
  .tuple(
    fc.oneof(
      fc.json(),
      fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 2)),
    ),
    fc.nat(),
    fc.nat(3),
    inserted,
  )
  .map(([json, at, length, text]) => {
    const start = at % (json.length + 1);
    return json.slice(0, start) + text + json.slice(start + length);
  });

test('any text: the index of the first character that makes the text invalid JSON [CONTRACT §10]', () => {
  fc.assert(
    fc.property(damaged, (text) => {
      const index = jsonErrorIndex(text);
      if (isJson(text)) expect(index).toBe(text.length);
      expect(index).toBeLessThanOrEqual(text.length);
      if (index === text.length) return;
      // The text after the index does not change it.
      expect(isJson(text)).toBe(false);
      expect(jsonErrorIndex(text.slice(0, index + 1))).toBe(index);
    }),
    { numRuns: extent({ full: 2000, part: 400 }) },
  );
});

test('a position that JSON.parse reports: never before the index [CONTRACT §10]', () => {
  fc.assert(
    fc.property(damaged, (text) => {
      try {
        JSON.parse(text);
      } catch (error) {
        const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
        if (position !== undefined) expect(jsonErrorIndex(text)).toBeLessThanOrEqual(Number(position));
      }
    }),
    { numRuns: extent({ full: 2000, part: 400 }) },
  );
});

test.each([
  ['', 'The body is empty: JSON was expected at line 1, column 1.'],
  ['{"total_cents":', 'The JSON of the body ends too early, at line 1, column 16.'],
  ['{"a":}', 'The body is not JSON: "}" was not expected at line 1, column 6.'],
  ['{\n  "a": 1,\n  b: 2\n}', 'The body is not JSON: "b" was not expected at line 3, column 3.'],
  ['{"a": "😀" x}', 'The body is not JSON: "x" was not expected at line 1, column 11.'],
  ['{"a": "tab\there"}', 'The body is not JSON: "\\t" was not expected at line 1, column 11.'],
  ['{"a": 01}', 'The body is not JSON: "1" was not expected at line 1, column 8.'],
  ['{} {}', 'The body is not JSON: "{" was not expected at line 1, column 4.'],
  ["{'a': 1}", 'The body is not JSON: "\'" was not expected at line 1, column 2.'],
  ['\ufeff{}', 'The body is not JSON: "\\ufeff" was not expected at line 1, column 1.'],
  ['{"a":\u00a01}', 'The body is not JSON: "\\u00a0" was not expected at line 1, column 6.'],
])('the body %j: %s [CONTRACT §10]', (text, detail) => {
  expect(isJson(text)).toBe(false);
  expect(describeJsonError(text)).toBe(detail);
});

test('256 KiB of nested or long damaged JSON: parsed in less than a second of processor time', () => {
  for (const text of [
    '['.repeat(262_144),
    `"${'a'.repeat(262_143)}`,
    `"${'\\"'.repeat(131_071)}`,
    '{"a":'.repeat(52_428),
  ]) {
    expect(cpuMillisecondsOf(() => expect(jsonErrorIndex(text)).toBe(text.length))).toBeLessThan(1000);
  }
});
