import { hash } from 'node:crypto';

/** Pseudorandom integers, the same sequence for the same name. */
export const createRandom = (name: string): ((min: number, max: number) => number) => {
  let drawn = 0;
  return (min, max) => {
    drawn += 1;
    const fraction = hash('sha256', `${name} ${drawn}`, 'buffer').readUInt32BE() / 2 ** 32;
    return min + Math.floor(fraction * (max - min + 1));
  };
};
