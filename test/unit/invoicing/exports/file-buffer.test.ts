import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { FileBuffer } from '#shared/invoicing/exports/file-buffer.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';

const lines = {
  type: 'text/plain',
  head: 'text\r\n',
  line: ({ text }: Readonly<Record<string, unknown>>) => `${text}\r\n`,
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Texts of one to three bytes for each UTF-16 unit; some are longer than the initial buffer. */
const text = fc
  .tuple(
    fc.constantFrom('a', 'ä', '€', '😀'),
    fc.oneof({ weight: 20, arbitrary: fc.nat(2000) }, fc.constant(3_000_000)),
  )
  .map(([character, length]) => character.repeat(length));

test('the parts taken from a buffer: together they are the file, and each part is intact until the next part is taken [CONTRACT §9]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 8 }), async (chunks) => {
      const buffer = await FileBuffer.open(lines);
      const stored: Buffer[] = [];
      let part = buffer.take();
      for (const [after, texts] of chunks.entries()) {
        buffer.append(
          texts.map((one) => ({ text: one })),
          after,
        );
        // Like an upload, which may take as long as the rows of the next part are written.
        stored.push(Buffer.from(part));
        part = buffer.take();
      }
      const file = Buffer.concat([...stored, part]);
      expect(file.equals(Buffer.from([lines.head, ...chunks.flat().map((one) => `${one}\r\n`)].join('')))).toBe(true);
      expect([buffer.bytes, buffer.row_count]).toEqual([0, chunks.flat().length]);
      expect(buffer.sha256()).toBe(sha256(file));
    }),
    { numRuns: extent({ full: 30, part: 2 }) },
  );
});

test('a position and the bytes before it: another buffer continues the file [CONTRACT §9]', async () => {
  const first = await FileBuffer.open(lines);
  first.append([{ text: 'a' }, { text: 'ä' }], 7);
  const position = first.position();
  const resumed = await FileBuffer.open(lines, position, first.take());
  expect([resumed.after, resumed.row_count, resumed.bytes]).toEqual([7, 2, Buffer.byteLength('text\r\na\r\nä\r\n')]);
  resumed.append([{ text: 'b' }], 8);
  const file = resumed.take();
  expect(Buffer.from(file).toString()).toBe('text\r\na\r\nä\r\nb\r\n');
  expect(resumed.sha256()).toBe(sha256(file));
});
