import { afterAll, expect, test } from '@jest/globals';
import { extent, isDeep } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';

const native = JSON.parse;
await import('#shared/platform/workarounds/v8-json-parse-63785.ts');
const replacement = JSON.parse;
afterAll(() => {
  JSON.parse = native;
});

/** After the first text, V8 expects the last name of the second text to be the last name of the first. */
const CASES = [
  [String.raw`{"a":1,"\\":2}`, String.raw`{"a":1,"\n":2}`, '\n'],
  [String.raw`{"b":1,"c\\":2}`, String.raw`{"b":1,"c\"":2}`, 'c"'],
  [String.raw`{"c":1,"gr\\u0":2}`, String.raw`{"c":1,"gr\u00f6\u00dfe":2}`, 'größe'],
] as const;
const last = (value: object): string | undefined => Object.keys(value).at(-1);

test.each(CASES)('%s, then %s: the name in the second text is read correctly', (before, text, name) => {
  replacement(before);
  expect(last(replacement(text))).toBe(name);
  expect(last(replacement(Buffer.from(text) as never))).toBe(name);
});

test('V8 without the workaround: reads a wrong name (once this fails, delete the workaround)', () => {
  for (const [before, text, name] of CASES) {
    native(before);
    expect(last(native(text))).not.toBe(name);
  }
});

/** Names of escaped characters, of the workaround’s placeholders, and special names. */
const part = fc.constantFrom('\\', '"', '\n', '\u0000', '\ud800', ':', '@', '@0', 'a', 'ö', '1', '__proto__', ' ', '{');
const name = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(name, fc.integer(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((pairs) => new Map(pairs)),
  ),
}));

/** The JSON text of a value, with spaces, and with strings as `quote` escapes them. */
const serialize = (node: unknown, quote: (string: string) => string): string => {
  if (node instanceof Map) {
    const pairs = [...node].map(([key, one]) => `${quote(key)} : ${serialize(one, quote)}`);
    return `{${pairs.join(', ')}}`;
  }
  if (Array.isArray(node)) return `[${node.map((one) => serialize(one, quote)).join(',')}]`;
  return typeof node === 'string' ? quote(node) : JSON.stringify(node);
};
const toObject = (node: unknown): unknown => {
  if (node instanceof Map) return Object.fromEntries([...node].map(([key, one]) => [key, toObject(one)]));
  return Array.isArray(node) ? node.map(toObject) : node;
};
const hex = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ESCAPES = [JSON.stringify, (string: string) => `"${string.split('').map(hex).join('')}"`];

test('any JSON text: the original value, with and without a reviver (RFC 8259)', () => {
  const seen = (key: string, one: unknown, context: unknown): unknown =>
    typeof one === 'number' ? [key, (context as { source: string }).source] : one;
  const revived = (node: unknown, key = ''): unknown => {
    if (node instanceof Map) return Object.fromEntries([...node].map(([at, one]) => [at, revived(one, at)]));
    if (Array.isArray(node)) return node.map((one, i) => revived(one, String(i)));
    return typeof node === 'number' ? [key, String(node)] : node;
  };
  fc.assert(
    fc.property(value, fc.constantFrom(...ESCAPES), (node, quote) => {
      const text = serialize(node, quote);
      expect(JSON.stringify(replacement(text))).toBe(JSON.stringify(toObject(node)));
      expect(JSON.stringify((replacement as (...all: unknown[]) => unknown)(text, seen))).toBe(
        JSON.stringify(revived(node)),
      );
    }),
    { numRuns: extent({ full: 2000, part: 100 }) },
  );
});

const outcomeOf = (parse: typeof native, given: unknown): unknown => {
  try {
    return parse(given as string);
  } catch (error) {
    return (error as Error).name;
  }
};

test('invalid JSON: a SyntaxError; an argument that is no string: the result of the native JSON.parse', () => {
  for (const text of ['{"\\n":}', '{"\\x":1}', '{"\\n":1', '"\\n":1', '{"a\\":1}']) {
    expect(() => replacement(text)).toThrow(SyntaxError);
  }
  for (const given of [7, null, [7], undefined, {}, Symbol('7')] as never[]) {
    expect(outcomeOf(replacement, given)).toEqual(outcomeOf(native, given));
  }
});

const LENGTH = isDeep ? 2 ** 20 : 2 ** 17;
test.each([
  ['escapes in one string', `["${'\\"'.repeat(LENGTH)}"]`],
  ['a name of escapes', `{"${'\\"'.repeat(LENGTH)}":1}`],
  ['a string that does not end', `{"\\n":1,"${'\\"'.repeat(LENGTH)}`],
  ['a string that ends in half an escape', `{"\\n":1,"${'\\"'.repeat(LENGTH)}\\`],
  ['strings with escapes', `[${'"\\n",'.repeat(LENGTH)}1]`],
  ['names with escapes', `{${Array.from({ length: LENGTH / 16 }, (_, i) => `"\\n${i}":1`).join()}}`],
  ['names like placeholders', `{${Array.from({ length: 2000 }, (_, i) => `"${'@'.repeat(i)}\\n":1`).join()}}`],
  ['space', `{"\\n"${' '.repeat(LENGTH)}"\\n"${' '.repeat(LENGTH)}}`],
])('a long text (%s): the result of the native JSON.parse, in linear time', (_, text) => {
  expect(outcomeOf(replacement, text)).toEqual(outcomeOf(native, text));
});

test('the workaround loaded twice: JSON.parse is replaced once', async () => {
  const path: string = '#shared/platform/workarounds/v8-json-parse-63785.ts?again';
  await import(path);
  expect(JSON.parse).toBe(replacement);
});
