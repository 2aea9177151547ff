import { expect, test } from '@jest/globals';
import { countFitting } from '#shared/platform/http/request/page-envelope.ts';
import fc from '#test/support/random/fast-check.ts';

/** The bytes of a page's rows as Lambda serializes them. */
const bytesOf = (texts: readonly string[]): number => Buffer.byteLength(JSON.stringify(`[${texts.join()}]`));

const string = fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', '\u0001', '漢', '😀', 'a'), fc.string()) });
const rows = fc.array(string.map((text) => JSON.stringify({ text })));

test('rows of any text: as many of the first rows as fit, at least one row [CONTRACT §5]', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 500 }), (texts, maxBytes) => {
      const count = countFitting(texts, maxBytes);
      const fitting = texts.slice(0, count);
      expect(count).toBeGreaterThanOrEqual(Math.min(1, texts.length));
      // The count takes two quotes per row; the body has one comma per row, two brackets and two quotes.
      if (count > 1) expect(bytesOf(fitting)).toBeLessThanOrEqual(maxBytes + 4);
      if (count < texts.length) expect(bytesOf(texts.slice(0, count + 1)) + count).toBeGreaterThan(maxBytes);
    }),
  );
});
