import fc from './fast-check.ts';

const SURROGATES = 0xdfff - 0xd800 + 1;

/**
 * Any character: a code point except a surrogate. `fc.string({ unit: 'binary' })` has the same characters, and takes
 * seconds of CPU to list them.
 */
export const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + SURROGATES));
