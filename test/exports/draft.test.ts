import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Draft } from '#shared/invoicing/exports/file-buffer.ts';

const lines = {
  type: 'text/plain',
  head: 'text\r\n',
  line: ({ text }: Readonly<Record<string, unknown>>) => `${text}\r\n`,
};
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Texts of one to three bytes a unit, some longer than the memory that a draft begins with. */
const text = fc
  .tuple(
    fc.constantFrom('a', 'ä', '€', '😀'),
    fc.oneof({ weight: 20, arbitrary: fc.nat(2000) }, fc.constant(3_000_000)),
  )
  .map(([character, length]) => character.repeat(length));

test('CONTRACT §9: parts taken from a draft are the file, and each lasts until the next one is taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 8 }), async (stretches) => {
      const draft = await Draft.open(lines);
      const stored: Buffer[] = [];
      let part = draft.take();
      for (const [after, texts] of stretches.entries()) {
        draft.append(
          texts.map((one) => ({ text: one })),
          after,
        );
        // As long as an upload may take: while the rows of the next part are written.
        stored.push(Buffer.from(part));
        part = draft.take();
      }
      const file = Buffer.concat([...stored, part]);
      expect(file.equals(Buffer.from([lines.head, ...stretches.flat().map((one) => `${one}\r\n`)].join('')))).toBe(
        true,
      );
      expect([draft.bytes, draft.row_count]).toEqual([0, stretches.flat().length]);
      expect(draft.sha256()).toBe(sha256(file));
    }),
    { numRuns: 30 },
  );
});

test('CONTRACT §9: a draft goes on from its mark and the bytes that are stored apart', async () => {
  const begun = await Draft.open(lines);
  begun.append([{ text: 'a' }, { text: 'ä' }], 7);
  const mark = begun.mark();
  const resumed = await Draft.open(lines, mark, begun.take());
  expect([resumed.after, resumed.row_count, resumed.bytes]).toEqual([7, 2, Buffer.byteLength('text\r\na\r\nä\r\n')]);
  resumed.append([{ text: 'b' }], 8);
  const file = resumed.take();
  expect(Buffer.from(file).toString()).toBe('text\r\na\r\nä\r\nb\r\n');
  expect(resumed.sha256()).toBe(sha256(file));
});
