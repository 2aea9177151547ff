import { expect, test } from '@jest/globals';
import { jsonErrorIndex } from '#shared/platform/http/request/json-error.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { cpuMillisecondsOf } from '#test/support/waiting/cpu-time.ts';

/** The position of an error that `JSON.parse` reports, if it does; undefined for valid JSON. */
const reportedError = (text: string): number | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return Number(/position (\d+)/.exec((error as Error).message)?.[1] ?? text.length);
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
      const reported = reportedError(text);
      if (reported === undefined) expect(index).toBe(text.length);
      else expect(index).toBeLessThanOrEqual(reported);
      if (index === text.length) return;
      expect(reported).toBeDefined();
      // The text after the index does not change it.
      expect(jsonErrorIndex(text.slice(0, index + 1))).toBe(index);
    }),
    { numRuns: extent({ full: 2000, part: 400 }) },
  );
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
