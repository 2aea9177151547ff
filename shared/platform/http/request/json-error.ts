/** What may follow in a JSON text (RFC 8259). */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

const SPACE = /[ \t\n\r]*/y;
/** A string up to its closing quote, so that the place of a wrong character in it is found, too. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Walks through a text token by token; it keeps the open brackets itself, so that no depth is too much. */
class Scanner {
  readonly #text: string;
  readonly #open: string[] = [];
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes one token; undefined when it is none that was expected, or when the text is complete. */
  next(expected: Expected): Expected | undefined {
    this.#take(SPACE);
    const [wanted, alternative] = expected.split(' or ');
    if (expected === ', or end') return this.#separator();
    if (alternative && this.#takeText(alternative)) return this.#close();
    if (wanted === ':') return this.#takeText(':') ? 'value' : undefined;
    if (wanted === 'key') return this.#string() ? ':' : undefined;
    return this.#value();
  }

  #value(): Expected | undefined {
    if (this.#takeText('{')) return this.#enter('}', 'key or }');
    if (this.#takeText('[')) return this.#enter(']', 'value or ]');
    return this.#string() || this.#take(SCALAR) ? ', or end' : undefined;
  }

  #separator(): Expected | undefined {
    const end = this.#open.at(-1);
    if (end === undefined) return undefined;
    if (this.#takeText(',')) return end === '}' ? 'key' : 'value';
    return this.#takeText(end) ? this.#close() : undefined;
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
    return this.#take(STRING) && this.#takeText('"');
  }

  #takeText(text: string): boolean {
    const isNext = this.#text.startsWith(text, this.at);
    if (isNext) this.at += text.length;
    return isNext;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const isNext = pattern.test(this.#text);
    if (isNext) this.at = pattern.lastIndex;
    return isNext;
  }
}

/**
 * The index of the first character at which a text is no JSON; the text's length when it ends too early, or is JSON.
 * JSON.parse does not report the place of every error.
 */
export const jsonErrorIndex = (text: string): number => {
  const scanner = new Scanner(text);
  for (let expected: Expected | undefined = 'value'; expected; ) expected = scanner.next(expected);
  return scanner.at;
};

/** Says what is wrong with a text that is no JSON: the unexpected character, and its line and column from 1. */
export const describeJsonError = (text: string): string => {
  const index = jsonErrorIndex(text);
  const lines = text.slice(0, index).split('\n');
  const place = `line ${lines.length}, column ${[...(lines.at(-1) as string)].length + 1}`;
  const character = text.codePointAt(index);
  if (text.trim() === '') return `The body is empty: JSON was expected at ${place}.`;
  if (character === undefined) return `The JSON of the body ends too early, at ${place}.`;
  return `The body is not JSON: ${JSON.stringify(String.fromCodePoint(character))} was not expected at ${place}.`;
};
