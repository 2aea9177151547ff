import { hash } from 'node:crypto';

/** Pseudorandom numbers that are the same in every run. */
export interface Random {
  integer(min: number, max: number): number;
  of<T>(values: readonly T[]): T;
  some<T>(values: readonly T[], count: number): T[];
}

/** A sequence for each name, so that a change to one row of the plan does not change the others. */
export const createRandom = (name: string): Random => {
  let drawn = 0;
  const integer = (min: number, max: number): number => {
    drawn += 1;
    const fraction = hash('sha256', `${name} ${drawn}`, 'buffer').readUInt32BE() / 2 ** 32;
    return min + Math.floor(fraction * (max - min + 1));
  };
  const of = <T>(values: readonly T[]): T => values[integer(0, values.length - 1)] as T;
  const some = <T>(values: readonly T[], count: number): T[] => {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(integer(0, left.length - 1), 1)[0] as T);
  };
  return { integer, of, some };
};
