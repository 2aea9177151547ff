import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';

const native = JSON.parse;
await import('#shared/platform/workarounds/v8-json-parse-63785.ts');
const here = JSON.parse;
afterAll(() => {
  JSON.parse = native;
});

/** After the first text V8 expects the name of the second one's last member to be that of the first one's. */
const CASES = [
  [String.raw`{"a":1,"\\":2}`, String.raw`{"a":1,"\n":2}`, '\n'],
  [String.raw`{"b":1,"c\\":2}`, String.raw`{"b":1,"c\"":2}`, 'c"'],
  [String.raw`{"c":1,"gr\\u0":2}`, String.raw`{"c":1,"gr\u00f6\u00dfe":2}`, 'größe'],
] as const;
const last = (value: object): string | undefined => Object.keys(value).at(-1);

test.each(CASES)('after %s, the name in %s is what it says', (before, text, name) => {
  here(before);
  expect(last(here(text))).toBe(name);
  expect(last(here(Buffer.from(text) as never))).toBe(name);
});

test('the engine still needs it: once this fails, shared/platform/workarounds/v8-json-parse-63785.ts can go', () => {
  for (const [before, text, name] of CASES) {
    native(before);
    expect(last(native(text))).not.toBe(name);
  }
});

/** Names of what JSON escapes, of what stands for them meanwhile, and of what is no ordinary name. */
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

/** The text of a value, its escapes as some clients write them, with what JSON takes for space. */
const written = (held: unknown, quote: (string: string) => string): string => {
  if (held instanceof Map) {
    const pairs = [...held].map(([key, one]) => `${quote(key)} : ${written(one, quote)}`);
    return `{${pairs.join(', ')}}`;
  }
  if (Array.isArray(held)) return `[${held.map((one) => written(one, quote)).join(',')}]`;
  return typeof held === 'string' ? quote(held) : JSON.stringify(held);
};
const built = (held: unknown): unknown => {
  if (held instanceof Map) return Object.fromEntries([...held].map(([key, one]) => [key, built(one)]));
  return Array.isArray(held) ? held.map(built) : held;
};
const hex = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ESCAPES = [JSON.stringify, (string: string) => `"${string.split('').map(hex).join('')}"`];

test('RFC 8259: every text reads as what it was written from, with a reviver too', () => {
  const seen = (key: string, one: unknown, context: unknown): unknown =>
    typeof one === 'number' ? [key, (context as { source: string }).source] : one;
  const revived = (held: unknown, key = ''): unknown => {
    if (held instanceof Map) return Object.fromEntries([...held].map(([at, one]) => [at, revived(one, at)]));
    if (Array.isArray(held)) return held.map((one, i) => revived(one, String(i)));
    return typeof held === 'number' ? [key, String(held)] : held;
  };
  fc.assert(
    fc.property(value, fc.constantFrom(...ESCAPES), (held, quote) => {
      const text = written(held, quote);
      expect(JSON.stringify(here(text))).toBe(JSON.stringify(built(held)));
      expect(JSON.stringify((here as (...all: unknown[]) => unknown)(text, seen))).toBe(JSON.stringify(revived(held)));
    }),
    { numRuns: 2_000 },
  );
});

test('what is no JSON stays a SyntaxError, and what is no string is what JSON.parse takes it for', () => {
  for (const text of ['{"\\n":}', '{"\\x":1}', '{"\\n":1', '"\\n":1', '{"a\\":1}']) {
    expect(() => here(text)).toThrow(SyntaxError);
  }
  for (const given of [7, null, [7], undefined, {}, Symbol('7')] as never[]) {
    const outcome = (parse: typeof native) => {
      try {
        return parse(given);
      } catch (error) {
        return (error as Error).name;
      }
    };
    expect(outcome(here)).toEqual(outcome(native));
  }
});

const MOST = 2 ** 20;
test.each([
  ['escapes in one string', `["${'\\"'.repeat(MOST)}"]`],
  ['a name of escapes', `{"${'\\"'.repeat(MOST)}":1}`],
  ['a string that does not end', `{"\\n":1,"${'\\"'.repeat(MOST)}`],
  ['a string that ends in half an escape', `{"\\n":1,"${'\\"'.repeat(MOST)}\\`],
  ['strings with escapes', `[${'"\\n",'.repeat(MOST)}1]`],
  ['names with escapes', `{${Array.from({ length: MOST / 16 }, (_, i) => `"\\n${i}":1`).join()}}`],
  ['names like stand-ins', `{${Array.from({ length: 2000 }, (_, i) => `"${'@'.repeat(i)}\\n":1`).join()}}`],
  ['space', `{"\\n"${' '.repeat(MOST)}"\\n"${' '.repeat(MOST)}}`],
])('%s: no text takes more than time in proportion to it', (_, text) => {
  const outcome = (parse: typeof native) => {
    try {
      return Object.keys(parse(text)).length;
    } catch (error) {
      return (error as Error).name;
    }
  };
  expect(outcome(here)).toBe(outcome(native));
});

test('a process that loads it twice has it once', async () => {
  const path: string = '#shared/platform/workarounds/v8-json-parse-63785.ts?again';
  await import(path);
  expect(JSON.parse).toBe(here);
});
