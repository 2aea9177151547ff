import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Answer, Sent } from '#test/support/service/client.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { waitAsAsked } from '#test/support/waiting/retry-after.ts';
import { post } from '../support/requests.ts';

const service = await openService({ ratePerSecond: 20 });

const POLICY = /^"account";q=(\d+);w=10$/;

const LEFT = /^"account";r=(\d+);t=([1-9]\d*)$/;

const ROUND = 20;

const ROUNDS = 20;

const COST = 5;

const FLOOD_MS = 60_000;
const IN_FLIGHT = 5;

/** The budget of the account and its rest, if the response states them. */
const limitOf = ({ headers }: Answer) => {
  const [, budget] = POLICY.exec(headers['ratelimit-policy'] ?? '') ?? [];
  const left = headers['ratelimit'];
  return { budget: Number(budget), left: left === undefined ? undefined : Number(LEFT.exec(left)?.[1]) };
};

const ANSWERS: readonly (readonly [status: number, target: string, sent?: Sent])[] = [
  [200, '/v1/customers'],
  [200, '/v2/customers', { method: 'HEAD' }],
  [201, '/v1/customers', { method: 'POST', body: { name: 'Ada' } }],
  [201, '/v1/customers?dry_run=true', { method: 'POST', body: { name: 'Ada' } }],
  [403, '/v1/customers', { as: { scope: 'invoices:read' } }],
  [404, '/v1/customers/1'],
  [422, '/v1/customers?nope=1'],
];

const UNCOUNTED: readonly (readonly [status: number, target: string, sent?: Sent])[] = [
  [200, '/health'],
  [401, '/v1/customers', { as: 'nobody' }],
  [204, '/v1/customers', { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' }, as: 'nobody' }],
  [404, '/v1/nope'],
  [405, '/v1/customers', { method: 'DELETE' }],
];

describe('Limits of an account', () => {
  for (const [status, target, sent] of ANSWERS) {
    test(`${sent?.method ?? 'GET'} ${target}, ${status}: the account’s policy [CONTRACT §16]`, async () => {
      const answer = await service.send(target, sent);
      const { budget, left = 0 } = limitOf(answer);
      expect([answer.status, budget % 10]).toEqual([status, 0]);
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThanOrEqual(budget);
      const [, r, t] = LEFT.exec(answer.headers['ratelimit'] ?? '') ?? [];
      if (t !== undefined) expect(Number(t)).toBe(Math.max(1, Math.ceil(Number(r) / (budget / 10))));
    });
  }

  for (const [status, target, sent] of UNCOUNTED) {
    test(`${sent?.method ?? 'GET'} ${target}, ${status}: no policy [CONTRACT §16]`, async () => {
      const { status: received, headers } = await service.send(target, sent);
      expect([received, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([status, undefined, undefined]);
    });
  }

  test('many requests at once: RateLimit states less than the budget [CONTRACT §16]', async () => {
    const send = () => service.send('/v1/customers', { method: 'POST', body: { nope: 1 } });
    // Every fifth request is counted, and the budget grows while a slow service responds.
    let [stated, fast, slow] = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      const limits = (await Promise.all(Array.from({ length: ROUND }, send))).map(limitOf);
      stated += limits.filter(({ left }) => left !== undefined).length;
      if (limits.some(({ budget, left = budget }) => left < budget)) return;
      const rate = (limits[0]?.budget ?? 0) / 10;
      if ((performance.now() - start) / 1000 < (ROUND * COST) / rate / 2) fast += 1;
      else slow += 1;
    }
    if (stated === 0) throw new Error(`None of ${ROUNDS * ROUND} responses states what is left.`);
    if (fast > slow) throw new Error(`No response to ${fast} fast rounds states that less than the budget is left.`);
  });

  testWith('smallBudget', 'newAccounts')(
    'above the budget: 429 with Retry-After, nothing changes, another account gets its responses, and the key works later [CONTRACT §16]',
    async () => {
      const as = { account: 'flooding' };
      const create = async (body: object): Promise<{ readonly answer: Answer; readonly key: string }> => {
        const key = randomUUID();
        const headers = { 'idempotency-key': key };
        return { answer: await post(service, '/v1/customers', body, { as, headers }), key };
      };
      /**
       * Sends requests faster than the budget returns, until some are refused: a slow service needs many requests at a
       * time, and a busy counter refuses nothing.
       */
      const flood = async (body: object) => {
        const all: Awaited<ReturnType<typeof create>>[] = [];
        const end = Date.now() + FLOOD_MS;
        for (let round = 0; Date.now() < end; round++) {
          const length = IN_FLIGHT * 2 ** (round % 4);
          all.push(...(await Promise.all(Array.from({ length }, () => create(body)))));
          const refused = all.find(({ answer }) => answer.status === 429);
          if (refused) return { all, refused };
        }
        throw new Error('The account is never above its budget.');
      };
      // Invalid requests cost as much.
      await flood({ nope: 1 });
      const { all, refused } = await flood({ name: 'Ada' });
      expect([refused.answer.json.code, limitOf(refused.answer).left]).toEqual(['too-many-requests', 0]);
      expect((await service.send('/v1/customers', { as: { account: 'quiet' } })).status).toBe(200);
      const headers = { 'idempotency-key': refused.key };
      let later = refused.answer;
      // On a slow machine, the last requests of the flood may be refused after this request.
      while (later.status === 429) {
        await waitAsAsked(later);
        later = await post(service, '/v1/customers', { name: 'Ada' }, { as, headers });
      }
      expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, undefined]);
      const { json } = await service.until('/v1/customers?page=1&per_page=1', ({ status }) => status === 200, as);
      expect(json.total_count).toBe(1 + all.filter(({ answer }) => answer.status === 201).length);
    },
  );
});
