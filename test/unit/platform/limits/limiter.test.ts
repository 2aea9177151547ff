import { expect, test } from '@jest/globals';
import { type Counter, ThrottledError } from '#shared/platform/limits/counter.ts';
import { Limiter } from '#shared/platform/limits/limiter.ts';

const NOW: number = 1_000_000;
const FULL = NOW + 10_000;
const WRITE = 5;

const limiterOf = (counter: Counter, rate: number, now = () => NOW) => {
  const uncounted: Error[] = [];
  const options = { random: () => 0, onUncounted: (error: Error) => uncounted.push(error) };
  return { uncounted, limiter: new Limiter({ rate, counter, now, ...options }) };
};

test('a budget that returns only while the counter responds: the request is refused [CONTRACT §16]', async () => {
  let now = NOW;
  const slow: Counter = {
    read: async () => FULL,
    charge: async () => {
      now = FULL;
      return { arrivalTime: FULL, wasBusy: true, isCharged: false };
    },
  };
  const { limiter, uncounted } = limiterOf(slow, 1, () => now);
  expect(await limiter.check('acct_1', WRITE)).toEqual(expect.any(Number));
  expect(uncounted).toEqual([]);
});

test('an account that has used nothing, with its charges and reads throttled: no request is refused [CONTRACT §16]', async () => {
  const throttle = async () => {
    throw new ThrottledError();
  };
  const { limiter, uncounted } = limiterOf({ read: throttle, charge: throttle }, 100);
  for (let i = 0; i < 20; i++) expect(await limiter.check('quiet', WRITE)).toBeUndefined();
  expect(uncounted.length).toBeGreaterThan(0);
  for (const error of uncounted) expect(error).toBeInstanceOf(ThrottledError);
});
