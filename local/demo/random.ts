/** Numbers that look random and are the same in every run. */
export interface Random {
  /** An integer from the least to the most, both included. */
  integer(least: number, most: number): number;
  /** One of some values. */
  of<T>(values: readonly T[]): T;
  /** This many different values. */
  some<T>(values: readonly T[], count: number): T[];
}

const FIRST = 2_166_136_261;
const PRIME = 16_777_619;

/** FNV-1a: a start of its own for each name, so that what one thing draws changes nothing of another. */
const startOf = (name: string): number =>
  [...name].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) as number), PRIME) >>> 0, FIRST);

/** Draws by Mulberry32, from a start that a name gives. */
export const createRandom = (name: string): Random => {
  let state = startOf(name);
  const fraction = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  const of = <T>(values: readonly T[]): T => values[integer(0, values.length - 1)] as T;
  const some = <T>(values: readonly T[], count: number): T[] => {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(integer(0, left.length - 1), 1)[0] as T);
  };
  return { integer, of, some };
};
