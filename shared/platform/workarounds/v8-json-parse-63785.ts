/**
 * Replaces JSON.parse for every caller in the process: the SDK reads DynamoDB's responses with it, too. The request body
 * alone would not be enough, and `metadata` may have any names (CONTRACT §4).
 *
 * Issue: nodejs/node#63785. V8 compares an escaped name before decoding it with the name that it expects from objects
 * parsed earlier, and may return the expected name.
 * Symptom: `{"a":1,"\n":2}` after `{"a":1,"\\":2}` is parsed as the latter, which may come from another account.
 * Gain: correctness; a text without escaped names costs one search.
 * Remove when: Node 24 has the fix; then test/unit/platform/workarounds/v8-json-parse-63785.test.ts fails.
 */
type Parse = typeof JSON.parse;
type Revive = (this: unknown, key: string, value: unknown, context: unknown) => unknown;

/** The rest of a string from its first escape, and a colon if the string is a name. */
const ESCAPED_REST = /(?:\\.[^"\\]*)+"(\s*:)?/sy;
/** A complete or unterminated string, so that matching takes linear time for any text. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*)(?:"(\s*:)?|\\?$)/gs;

const hasEscapedName = (text: string): boolean => {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', ESCAPED_REST.lastIndex)) {
    ESCAPED_REST.lastIndex = at;
    const match = ESCAPED_REST.exec(text);
    if (!match || match[1]) return match !== null;
  }
  return false;
};

/** Replaces escaped names by placeholders, parses, and restores the names with a reviver. */
const parseExactly = (parse: Parse): Parse => {
  const parseWithPlaceholders = (text: string, revive?: Revive): unknown => {
    const placeholders = new Map<string, string>();
    const names = new Map<string, string>();
    let prefix = '';
    while (prefix === '' || text.includes(`"${prefix}`)) prefix = `@${Math.random()}@`;
    const replaced = text.replace(STRING, (whole, string: string, colon?: string) => {
      if (!colon || !string.includes('\\')) return whole;
      const name: string = parse(`${string}"`);
      const encoded = JSON.stringify(name);
      if (!encoded.includes('\\')) return encoded + colon;
      const placeholder = placeholders.get(name) ?? `${prefix}${placeholders.size}`;
      placeholders.set(name, placeholder);
      names.set(placeholder, name);
      return `"${placeholder}"${colon}`;
    });
    if (names.size === 0) return parse(replaced, revive as Parameters<Parse>[1]);
    const originalName = (key: string): string => names.get(key) ?? key;
    try {
      return parse(replaced, function (this: unknown, key, value, ...context: unknown[]) {
        const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
        const renamed = isObject
          ? Object.fromEntries(Object.entries(value).map(([key, member]) => [originalName(key), member]))
          : value;
        return revive ? revive.call(this, originalName(key), renamed, context[0]) : renamed;
      });
    } catch (error) {
      // A reviver is recursive. Callers reject a text that is too deep for it, so its names do not matter.
      if (revive || !(error instanceof RangeError)) throw error;
      return parse(text);
    }
  };
  return (given, revive) => {
    // The SDK passes bytes.
    const text = `${given}`;
    return hasEscapedName(text) ? parseWithPlaceholders(text, revive as Revive | undefined) : parse(text, revive);
  };
};

const hasBug = (parse: Parse): boolean => {
  parse('{"json.ts":0,"\\\\":0}');
  return !('\n' in parse('{"json.ts":0,"\\n":0}'));
};

// JSON.parse is replaced once, also when several bundles share a process, and only if V8 has the bug.
if (hasBug(JSON.parse)) JSON.parse = parseExactly(JSON.parse);
