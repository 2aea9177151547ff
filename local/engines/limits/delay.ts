import { createRandom } from './random.ts';
import type { Limits } from './settings.ts';

/** The standard normal quantile of 99 %. */
const P99 = 2.326;
const RESOLUTION = 1_000_000;

/** The delays of requests in milliseconds: log-normal, the same sequence for the same seed. */
export const createDelay = ({ delay: { median, p99 }, seed }: Pick<Limits, 'delay' | 'seed'>): (() => number) => {
  if (median === 0) return () => 0;
  const random = createRandom(`delay ${seed}`);
  const chance = () => random(1, RESOLUTION) / RESOLUTION;
  const sigma = Math.log(p99 / median) / P99;
  return () => median * Math.exp(sigma * Math.sqrt(-2 * Math.log(chance())) * Math.cos(2 * Math.PI * chance()));
};
