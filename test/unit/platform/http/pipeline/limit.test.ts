import { expect, test } from '@jest/globals';
import type { Caller } from '#shared/platform/http/caller.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { limit, writeLimit } from '#shared/platform/http/pipeline/steps/limit.ts';
import { Limiter } from '#shared/platform/limits/limiter.ts';
import fc from '#test/support/random/fast-check.ts';
import { operations } from '#test/support/requests/requests.ts';
import { countersInMemory } from '#test/support/service/counters.ts';

const [get, list, create] = ['customers/get', 'customers/list', 'customers/create'].map(
  (name) => operations.find(([one]) => one === name)?.[1],
) as [Operation, Operation, Operation];

const COSTS = new Map([
  [get, 1],
  [list, 2],
  [create, 5],
]);

/** A client of one account, with a clock of its own. */
const clientOf = (rate: number) => {
  const clock = { now: 1_000_000 };
  const unexpected = (error: Error) => {
    throw error;
  };
  const options = { counter: countersInMemory(), now: () => clock.now, random: () => 0, onUncounted: unexpected };
  const limiter = new Limiter({ rate, ...options });
  const caller = { account: 'acct_1' } as Caller;
  const send = async (endpoint: Operation, statusCode = 200) => {
    const refuse = async () => (await limit.run({ caller }, { endpoint, limiter })).refusal;
    const error = await refuse().catch((refusal: Error) => refusal);
    const headers: Record<string, string> = {};
    writeLimit(caller, limiter, { statusCode, headers }, error);
    return { isRefused: error !== undefined, headers };
  };
  return { clock, send };
};

test('a client that spends r evenly over t seconds: never refused [CONTRACT §16]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 300 }),
      fc.double({ min: 0, max: 0.95, noNaN: true }),
      fc.infiniteStream(fc.constantFrom(get, list, create)),
      async (rate, spent, requests) => {
        const { clock, send } = clientOf(rate);
        let budget = rate * 10;
        for (let used = 0; used < spent * budget; used += 5) await send(create);
        const { headers, isRefused } = await send(get);
        fc.pre(!isRefused);
        const [, r, t] = /r=(\d+);t=(\d+)$/.exec(headers['ratelimit'] ?? '') ?? [];
        const begin = clock.now;
        budget = Number(r);
        for (let used = 0; ; ) {
          const { value: request } = requests.next() as { value: Operation };
          used += COSTS.get(request) as number;
          if (used > budget) return;
          clock.now = begin + Math.ceil((used / budget) * Number(t) * 1000);
          expect((await send(request)).isRefused).toBe(false);
        }
      },
    ),
  );
});

test('a 303: neither RateLimit nor RateLimit-Policy; any other status: both [CONTRACT §16]', async () => {
  const { send } = clientOf(10);
  expect((await send(get, 303)).headers).toEqual({});
  expect((await send(list)).headers).toEqual({
    'ratelimit-policy': '"account";q=100;w=10',
    ratelimit: '"account";r=97;t=10',
  });
});
