import { expect, test } from '@jest/globals';
import type { Counter } from '#shared/platform/limits/counter.ts';
import { Limiter } from '#shared/platform/limits/limiter.ts';

test('a budget that returns only while the counter responds: the request is refused [CONTRACT §16]', async () => {
  let now = 1_000_000;
  const full = now + 10_000;
  const slow: Counter = {
    read: async () => full,
    charge: async () => {
      now = full;
      return { arrivalTime: full, wasBusy: true, isCharged: false };
    },
  };
  const onUnreachable = (error: Error) => {
    throw error;
  };
  const limiter = new Limiter({ rate: 1, counter: slow, now: () => now, onUnreachable });
  expect(await limiter.check('acct_1', 5).waitMs).toEqual(expect.any(Number));
});
