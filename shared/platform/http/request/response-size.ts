/** Lambda's limit is 6,291,556 bytes of JSON, including the headers; the body is a string in this JSON. */
const MAX_BODY_BYTES = 6_000_000;

/**
 * A UTF-16 code unit of a JSON text takes at most 3 bytes inside a JSON string: as UTF-8, or as an escaped quote or
 * backslash. A JSON text has no unescaped control characters.
 */
const MAX_BYTES_PER_UNIT = 3;

/** Saves ordinary pages a second serialization. */
const isSurelySmall = (texts: readonly string[], maxBytes: number): boolean =>
  texts.reduce((units, text) => units + text.length + 1, 0) * MAX_BYTES_PER_UNIT <= maxBytes;

/**
 * Counts the first JSON texts that fit in one response together: at least one, because the fields' limits keep every
 * member far below the response limit.
 */
export const countFitting = (texts: readonly string[], maxBytes: number = MAX_BODY_BYTES): number => {
  if (isSurelySmall(texts, maxBytes)) return texts.length;
  let bytes = 0;
  for (const [i, text] of texts.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(text));
    if (bytes > maxBytes) return Math.max(1, i);
  }
  return texts.length;
};
