/**
 * Replaces JSON.parse for every caller in the process.
 *
 * Issue: nodejs/node#63785. V8 compares an escaped name before decoding it with the name that it expects from objects
 * parsed earlier, and may return the expected name.
 * Symptom: `{"a":1,"\n":2}` after `{"a":1,"\\":2}` is parsed as the latter, which may come from another client.
 * Gain: correctness (docs/decisions/0036-json-parse-is-replaced-because-of-a-v8-bug.md); a text without escaped names costs one search.
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

/** Replaces escaped names by placeholders, parses, and restores the names. */
const parseExactly = (parse: Parse): Parse => {
  const parseWithPlaceholders = (text: string, revive?: Revive): unknown => {
    /** By the name with its escapes. */
    const replacements = new Map<string, string>();
    const names: string[] = [];
    let prefix = '';
    while (prefix === '' || text.includes(`"${prefix}`)) prefix = `@${Math.random()}@`;
    const replace = (string: string): string => {
      const name: string = parse(`${string}"`);
      const encoded = JSON.stringify(name);
      const replacement = encoded.includes('\\') ? `"${prefix}${names.push(name) - 1}"` : encoded;
      replacements.set(string, replacement);
      return replacement;
    };
    const replaced = text.replace(STRING, (whole, string: string, colon?: string) =>
      colon && string.includes('\\') ? (replacements.get(string) ?? replace(string)) + colon : whole,
    );
    if (names.length === 0) return parse(replaced, revive as Parameters<Parse>[1]);
    const originalName = (key: string): string =>
      key.startsWith(prefix) ? (names[Number(key.slice(prefix.length))] as string) : key;
    if (revive) {
      return parse(replaced, function (this: unknown, key, value, ...context: unknown[]) {
        return revive.call(this, originalName(key), renameMembers(value, originalName), context[0]);
      });
    }
    try {
      // A reviver takes ten times longer.
      return renameAll(parse(replaced), originalName);
    } catch (error) {
      // Callers reject a text that is too deep for a recursive function, so its names do not matter.
      if (error instanceof RangeError) return parse(text);
      throw error;
    }
  };
  return (given, revive) => {
    // The SDK passes bytes.
    const text = `${given}`;
    return hasEscapedName(text) ? parseWithPlaceholders(text, revive as Revive | undefined) : parse(text, revive);
  };
};

type Rename = (name: string) => string;

const renameMembers = (value: unknown, rename: Rename, convert = (member: unknown) => member): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.keys(value).map((name) => [rename(name), convert(value[name as never])]))
    : value;

const renameAll = (value: unknown, rename: Rename): unknown =>
  Array.isArray(value)
    ? value.map((element) => renameAll(element, rename))
    : renameMembers(value, rename, (member) => renameAll(member, rename));

const hasBug = (parse: Parse): boolean => {
  parse('{"json.ts":0,"\\\\":0}');
  return !('\n' in parse('{"json.ts":0,"\\n":0}'));
};

// JSON.parse is replaced once, also when several bundles share a process, and only if V8 has the bug.
if (hasBug(JSON.parse)) JSON.parse = parseExactly(JSON.parse);
