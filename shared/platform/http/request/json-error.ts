import { quote } from '#shared/platform/wire/quote.ts';

/** The token that the grammar expects next (RFC 8259). */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

const SPACE = /[ \t\n\r]*/y;
/** A string without its closing quote, so that scanning stops at an invalid character in it. */
const STRING_START = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The index of the first character that is not valid JSON; the length of a text that is truncated or valid.
 * `JSON.parse` does not report the position of every error.
 */
export const jsonErrorIndex = (text: string): number => {
  const scanner = new Scanner(text);
  for (let expected: Expected | undefined = 'value'; expected; ) expected = scanner.next(expected);
  return scanner.index;
};

export const describeJsonError = (text: string): string => {
  const index = jsonErrorIndex(text);
  const lines = text.slice(0, index).split('\n');
  const place = `line ${lines.length}, column ${[...(lines.at(-1) as string)].length + 1}`;
  const character = text.codePointAt(index);
  if (text.trim() === '') return `The body is empty: JSON was expected at ${place}.`;
  if (character === undefined) return `The JSON of the body ends too early, at ${place}.`;
  return `The body is not JSON: ${quote(String.fromCodePoint(character))} was not expected at ${place}.`;
};

/** Reads a text token by token. It is not recursive, so any depth of nesting works. */
class Scanner {
  readonly #text: string;
  readonly #open: string[] = [];
  index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads one token and returns what must follow; undefined after an unexpected token, or at the end. */
  next(expected: Expected): Expected | undefined {
    this.#skip(SPACE);
    const [wanted, alternative] = expected.split(' or ');
    if (expected === ', or end') return this.#separator();
    if (alternative && this.#skipText(alternative)) return this.#close();
    if (wanted === ':') return this.#skipText(':') ? 'value' : undefined;
    if (wanted === 'key') return this.#string() ? ':' : undefined;
    return this.#value();
  }

  #value(): Expected | undefined {
    if (this.#skipText('{')) return this.#enter('}', 'key or }');
    if (this.#skipText('[')) return this.#enter(']', 'value or ]');
    return this.#string() || this.#skip(SCALAR) ? ', or end' : undefined;
  }

  #separator(): Expected | undefined {
    const end = this.#open.at(-1);
    if (end === undefined) return undefined;
    if (this.#skipText(',')) return end === '}' ? 'key' : 'value';
    return this.#skipText(end) ? this.#close() : undefined;
  }

  #enter(end: string, first: Expected): Expected {
    this.#open.push(end);
    return first;
  }

  #close(): Expected {
    this.#open.pop();
    return ', or end';
  }

  #string(): boolean {
    return this.#skip(STRING_START) && this.#skipText('"');
  }

  #skipText(text: string): boolean {
    const isNext = this.#text.startsWith(text, this.index);
    if (isNext) this.index += text.length;
    return isNext;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    const isNext = pattern.test(this.#text);
    if (isNext) this.index = pattern.lastIndex;
    return isNext;
  }
}
