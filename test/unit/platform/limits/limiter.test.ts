import { expect, test } from '@jest/globals';
import { type Counter, ThrottledError } from '#shared/platform/limits/counter.ts';
import { Limiter } from '#shared/platform/limits/limiter.ts';
import { countersInMemory } from '#test/support/service/counters.ts';

const NOW: number = 1_000_000;
const RATE = 100;
const BURST = 10 * RATE;
const BURST_MS = 10_000;
const SAMPLING = 5;
const WRITE = 5;

const limiterOf = (counter: Counter, { rate = RATE, now = () => NOW } = {}) => {
  const uncounted: Error[] = [];
  const options = { random: () => 0, onUncounted: (error: Error) => uncounted.push(error) };
  const limiter = new Limiter({ rate, counter, now, ...options });
  const send = async (account: string, count: number, cost = WRITE): Promise<number> => {
    let permitted = 0;
    for (let i = 0; i < count; i++) if ((await limiter.check(account, cost)) === undefined) permitted += 1;
    return permitted;
  };
  return { uncounted, limiter, send };
};

const throttle = async () => {
  throw new ThrottledError();
};

test('a budget that returns only while the counter responds: the request is refused [CONTRACT §16]', async () => {
  let now = NOW;
  const full = now + BURST_MS;
  const slow: Counter = {
    read: async () => full,
    charge: async () => {
      now = full;
      return { arrivalTime: full, wasBusy: true, isCharged: false };
    },
  };
  const { limiter, uncounted } = limiterOf(slow, { rate: 1, now: () => now });
  expect(await limiter.check('acct_1', WRITE)).toEqual(expect.any(Number));
  expect(uncounted).toEqual([]);
});

test('an account that has used nothing, with its charges and reads throttled: no request is refused [CONTRACT §16]', async () => {
  const { send, uncounted } = limiterOf({ read: throttle, charge: throttle });
  expect(await send('quiet', 20)).toBe(20);
  expect(uncounted.length).toBeGreaterThan(0);
  for (const error of uncounted) expect(error).toBeInstanceOf(ThrottledError);
});

test('an account that has used a fifth of its burst, with throttled charges: is refused, also by an instance that has not seen it [CONTRACT §16]', async () => {
  const { send } = limiterOf({ read: async () => NOW + 0.21 * BURST_MS, charge: throttle });
  expect(await send('noisy', 20)).toBe(0);
});

test('throttled charges of an account that floods: an instance permits its own requests up to a fifth of the burst [CONTRACT §16]', async () => {
  const { send } = limiterOf({ read: async () => 0, charge: throttle });
  expect(await send('noisy', 100)).toBeLessThanOrEqual((0.2 * BURST) / WRITE + SAMPLING);
});

test('throttled charges of one account: the other accounts are counted and limited as before [CONTRACT §16]', async () => {
  const counters = countersInMemory();
  const charge: Counter['charge'] = (account, ...rest) =>
    account === 'hot' ? throttle() : counters.charge(account, ...rest);
  const { send } = limiterOf({ read: counters.read, charge });
  expect(await send('hot', 1)).toBe(1);
  const permitted = await send('noisy', 300);
  expect(permitted).toBeLessThanOrEqual(BURST / WRITE);
  expect(permitted).toBeGreaterThan((0.9 * BURST) / WRITE);
});
