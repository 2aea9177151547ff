/**
 * Replaces JSON.parse for every caller in the process.
 *
 * Issue: nodejs/node#63785. V8 compares the name of a member that holds an escape, not yet decoded, with the name that
 * it expects from objects parsed before, and may return the expected one.
 * Symptom: `{"a":1,"\n":2}` after `{"a":1,"\\":2}` reads as the latter, which can be the text of another client.
 * Gain: correctness (docs/decisions/0040-names-with-escapes.md); a text without escaped names costs one search.
 * Remove when: Node 24 has the fix; a test fails then (test/unit/workarounds/v8-json-parse-63785.test.ts).
 */
type Parse = typeof JSON.parse;
type Revive = (this: unknown, key: string, value: unknown, context: unknown) => unknown;

/** A string from its first escape on, and the colon that makes it a name. */
const REST = /(?:\\.[^"\\]*)+"(\s*:)?/sy;
/** A string, or what would be one if it ended: no text makes it look at anything twice. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*)(?:"(\s*:)?|\\?$)/gs;

const holdsEscapedName = (text: string): boolean => {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', REST.lastIndex)) {
    REST.lastIndex = at;
    const found = REST.exec(text);
    if (!found || found[1]) return found !== null;
  }
  return false;
};

/** A parser like the given one, which is shown no name that holds an escape. */
const parseExactly = (parse: Parse): Parse => {
  const careful = (text: string, revive?: Revive): unknown => {
    const standIns = new Map<string, string>();
    const names = new Map<string, string>();
    let mark = '';
    while (mark === '' || text.includes(`"${mark}`)) mark = `@${Math.random()}@`;
    const plain = text.replace(STRING, (whole, string: string, colon?: string) => {
      if (!colon || !string.includes('\\')) return whole;
      const name: string = parse(`${string}"`);
      const written = JSON.stringify(name);
      if (!written.includes('\\')) return written + colon;
      const standIn = standIns.get(name) ?? `${mark}${standIns.size}`;
      standIns.set(name, standIn);
      names.set(standIn, name);
      return `"${standIn}"${colon}`;
    });
    if (names.size === 0) return parse(plain, revive as Parameters<Parse>[1]);
    const named = (key: string): string => names.get(key) ?? key;
    try {
      return parse(plain, function (this: unknown, key, value, ...context: unknown[]) {
        const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
        const held = isObject ? Object.fromEntries(Object.entries(value).map(([at, one]) => [named(at), one])) : value;
        return revive ? revive.call(this, named(key), held, context[0]) : held;
      });
    } catch (error) {
      // A reviver goes down as deep as the text, which whoever asked refuses for that: no name of it is used.
      if (revive || !(error instanceof RangeError)) throw error;
      return parse(text);
    }
  };
  return (given, revive) => {
    // The SDK gives it bytes.
    const text = `${given}`;
    return holdsEscapedName(text) ? careful(text, revive as Revive | undefined) : parse(text, revive);
  };
};

const mistakes = (parse: Parse): boolean => {
  parse('{"json.ts":0,"\\\\":0}');
  return !('\n' in parse('{"json.ts":0,"\\n":0}'));
};

// Not twice, where several bundles share a process; and not where the engine is right by itself.
if (mistakes(JSON.parse)) JSON.parse = parseExactly(JSON.parse);
