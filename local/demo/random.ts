/** Pseudorandom numbers that are the same in every run. */
export interface Random {
  integer(min: number, max: number): number;
  of<T>(values: readonly T[]): T;
  some<T>(values: readonly T[], count: number): T[];
}

const OFFSET_BASIS = 2_166_136_261;
const PRIME = 16_777_619;

/** A seed for each name, so that a change to one row of the plan does not change the others. */
const fnv1a = (name: string): number =>
  [...name].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) as number), PRIME) >>> 0, OFFSET_BASIS);

export const createRandom = (name: string): Random => {
  let state = fnv1a(name);
  const fraction = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
  const of = <T>(values: readonly T[]): T => values[integer(0, values.length - 1)] as T;
  const some = <T>(values: readonly T[], count: number): T[] => {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(integer(0, left.length - 1), 1)[0] as T);
  };
  return { integer, of, some };
};
