/** Lambda returns at most 6,291,556 bytes of JSON, headers included; the body is a string in it. */
const MAX_BODY_BYTES = 6_000_000;

/**
 * A UTF-16 code unit of a JSON text takes at most 3 bytes as part of a JSON string: as UTF-8, or as an escaped quote or
 * backslash. A JSON text has no unescaped control characters.
 */
const MAX_BYTES_PER_UNIT = 3;

/** Serializes a second time only what could be too large: an ordinary page is far below. */
const isSurelySmall = (texts: readonly string[], maxBytes: number): boolean =>
  texts.reduce((units, text) => units + text.length + 1, 0) * MAX_BYTES_PER_UNIT <= maxBytes;

/**
 * The number of JSON texts, from the first on, that fit in one response together; at least one, because the limits of
 * fields keep every member far below the limit of a response.
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
