import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { extent, isDeep, partOf } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { type Faults, injectFaults, type Plan } from '#test/support/faults/faults.ts';
import type { Answer, Client } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';
import { type Call, linearize } from './linearizability.ts';
import {
  createSender,
  hasKey,
  type Input,
  initialState,
  isEqual,
  type Output,
  outputOf,
  type State,
  specification,
} from './one-invoice.ts';

/*
 * 64 clients at once on one invoice or payment, without faults and with injected conflicts and throttling.
 * `SEED=… npm test -- test/resilience/ledger/races` repeats the random numbers of a seed, but not the interleaving.
 */

const CLIENTS = 64;
const HALF = CLIENTS / 2;

/** Shares of the attempts that fail. A read has the SDK's three attempts, a write is retried until the deadline. */
const CONFLICTING_WRITES = 0.1;
const THROTTLED_WRITES = 0.1;
const THROTTLED_READS = 0.02;

/** Time of a request. On a busy machine, 64 requests at once take several times the time limit of a request. */
const PATIENT_MS = 120_000;

/** No undecided response in 3,000 means less than 1 in 1,000 at a confidence of 95 % (the rule of three). */

const chance = chances(SEED);

const faultPlan: Plan = ({ command }) => {
  const random = chance();
  if (/^(Get|BatchGet|Query)/.test(command)) return random < THROTTLED_READS ? 'throttling' : undefined;
  if (random < CONFLICTING_WRITES) return 'conflict';
  return random < CONFLICTING_WRITES + THROTTLED_WRITES ? 'throttling' : undefined;
};

const outcome = ({ status, json }: Answer) => (status < 300 ? `${status}` : `${status} ${json.code}`);
const succeeded = ({ status }: Answer) => status < 300;
const tally = (answers: readonly Answer[]) => [...new Set(answers.map(outcome))].sort();
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Whether the client must retry: 503 or 409 `request-in-progress`, both with Retry-After (CONTRACT §10). */
const isUndecided = (answer: Answer): boolean => {
  if (answer.status < 500 && answer.json.code !== 'request-in-progress') return false;
  expect(['503 unavailable', '409 request-in-progress']).toContain(outcome(answer));
  expect(answer.headers['retry-after']).toBe('1');
  return true;
};

/** Exactly one response is not a replay, and all are the same 201, byte for byte (CONTRACT §8). */
const expectOneAndReplays = (answers: readonly Answer[]) => {
  const bytes = answers.map(({ status, text, headers }) => [status, text, headers['etag'], headers['location']]);
  expect(new Set(bytes.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  const replays = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
  expect(replays).toHaveLength(answers.length - 1);
};

const TOTAL = 1000;
/** Requests of one kind; more of them than the invoice or its payment of 300 admits. */
const ACTIONS = {
  payments: () => ({ kind: 'pay', amount: 100 }),
  voids: () => ({ kind: 'void' }),
  refunds: () => ({ kind: 'refund', amount: 100 }),
  'credit notes': () => ({ kind: 'credit', amount: 100 }),
  cancels: () => ({ kind: 'cancel' }),
  'changes of the total': (i) => ({ kind: 'patch', change: { total_cents: 500 + 100 * (i % 6) } }),
} as const satisfies Readonly<Record<string, (i: number) => Input>>;
const KINDS = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
const PAIRS = KINDS.flatMap((kind, i) => KINDS.slice(i).map((other) => [kind, other] as const));

const WITHOUT_FAULTS = { faults: 'without faults', plan: undefined, rounds: 1, enough: 4 * CLIENTS };

describe.each([
  ...(isDeep ? [WITHOUT_FAULTS] : []),
  {
    faults: 'under conflicts and throttling',
    plan: faultPlan,
    rounds: extent({ full: 50, part: 1 }),
    enough: extent({ full: 3000, part: 64 }),
  },
])('64 clients at once, $faults', ({ plan, rounds, enough }) => {
  let service: LocalService;
  let faults: Faults;
  let requests = 0;
  let undecided = 0;
  let keyedSuccesses = 0;

  beforeAll(async () => {
    service = await startService();
    await retryWithoutDelay(service.client);
    faults = injectFaults(service.client);
    faults.plan(plan);
  });
  afterAll(() => service.stop());

  const post = (target: string, body?: object, key?: string) =>
    service.send(target, {
      method: 'POST',
      ...(body && { body }),
      headers: { 'idempotency-key': key },
      remaining: PATIENT_MS,
    });
  const pay = (invoice_id: number, amount_cents: number, key: string = randomUUID()) =>
    post('/v1/payments', { invoice_id, amount_cents }, key);
  const invoice = async (total_cents = 1000): Promise<number> => (await post('/v1/invoices', { total_cents })).json.id;
  const get = async (target: string) => (await service.send(target)).json;
  const paymentsOf = async (id: number) => (await get(`/v1/invoices/${id}/payments?limit=100`)).data;

  /** Sends all requests at once in random order, and returns the responses in the given order. */
  const race = async (senders: readonly (() => Promise<Answer>)[]): Promise<Answer[]> => {
    const answers: Answer[] = [];
    const order = [...senders.keys()].map((at) => ({ at, random: chance() })).sort((a, b) => a.random - b.random);
    await Promise.all(
      order.map(async ({ at }) => {
        answers[at] = await (senders[at] as () => Promise<Answer>)();
      }),
    );
    requests += answers.length;
    undecided += answers.filter(isUndecided).length;
    return answers;
  };
  const filterDecided = (answers: readonly Answer[]) => answers.filter((answer) => !isUndecided(answer));

  const repeat = async (share: number, round: () => Promise<void>): Promise<void> => {
    for (let i = 0; i < Math.max(1, rounds * share); i++) await round();
  };

  test('one key: one payment and 63 replays, byte for byte [CONTRACT §8]', () =>
    repeat(0.4, async () => {
      const id = await invoice();
      const key = randomUUID();
      const answers = filterDecided(await race(times(CLIENTS, () => () => pay(id, 100, key))));
      expectOneAndReplays(answers);
      expect(await paymentsOf(id)).toEqual([answers[0]?.json]);
      keyedSuccesses += 1;
    }));

  test.each(partOf(PAIRS, 7, 3))(
    '%s against %s: the same requests, one at a time, explain the responses [CONTRACT §4]',
    (...kinds) =>
      repeat(0.04, async () => {
        const account = newAccount();
        const client: Pick<Client, 'send'> = {
          send: (target, sent) => service.send(target, { ...sent, as: { account }, remaining: PATIENT_MS }),
        };
        const make = makers(client);
        const { id } = await make.invoice({ total_cents: TOTAL });
        const first = kinds.some((kind) => kind === 'voids' || kind === 'refunds') ? 300 : 0;
        const send = createSender(client, id, first && (await make.payment(id, first)).id);
        const history: Call<Input, Output>[] = [];
        let now = 0;
        const call = async (input: Input): Promise<Answer> => {
          const start = ++now;
          const answer = await send(input, randomUUID());
          history.push({ input, output: outputOf(input, answer), start, end: ++now });
          if (succeeded(answer) && hasKey(input)) keyedSuccesses += 1;
          return answer;
        };
        const inputs = kinds.flatMap((kind) => Array.from({ length: HALF }, (_, i) => ACTIONS[kind](i)));
        await race(inputs.map((input) => () => call(input)));
        await call({ kind: 'get' });
        if (first) await call({ kind: 'get payment' });
        if (!linearize<State, Input, Output>(history, initialState(TOTAL, first), specification, isEqual))
          throw new Error(`SEED=${SEED}: no order of the requests explains ${JSON.stringify(history)}`);
        await checkInvariants(service, account);
        keyedSuccesses += first ? 2 : 1;
      }),
  );

  test.each(isDeep ? [1, 2] : [1])(
    '32 openings and 32 credit notes, number series: %d: the numbers are 1, 2, 3 … in each, each once [CONTRACT §4]',
    (count) =>
      repeat(0.04, async () => {
        const all = times(count, () =>
          post('/v1/number-series', { prefix: `${randomUUID().slice(0, 8).toUpperCase()}-` }),
        );
        const series = (await Promise.all(all)).map(({ json }) => json);
        const credited = await Promise.all(times(HALF, () => invoice()));
        const takeNumber = (i: number) => () => {
          const [series_id, invoice_id] = [series[i % count].id, credited[i]];
          if (invoice_id) return post('/v1/credit-notes', { invoice_id, series_id }, randomUUID());
          return post('/v1/invoices', { series_id }, randomUUID());
        };
        const answers = filterDecided(await race(Array.from({ length: CLIENTS }, (_, i) => takeNumber(i))));
        expect(tally(answers)).toEqual(['201']);
        keyedSuccesses += answers.length;
        for (const { id, prefix } of series) {
          const numbers = answers.flatMap(({ json }) => (json.series_id === id ? json.number : [])).sort();
          const { last_number } = await get(`/v1/number-series/${id}`);
          expect(numbers).toEqual(
            times(last_number, () => '').map((_, i) => `${prefix}${String(i + 1).padStart(5, '0')}`),
          );
        }
      }),
  );

  deepTest('full refunds with two keys, 32 clients each: one refund and its replays [CONTRACT §4, CONTRACT §8]', () =>
    repeat(0.28, async () => {
      const { id: payment_id } = (await pay(await invoice(), 1000)).json;
      const refund = (key: string) => () => post('/v1/refunds', { payment_id }, key);
      const keys = [randomUUID(), randomUUID()] as const;
      const answers = await race(keys.flatMap((key) => times(HALF, () => refund(key))));
      const sides = [answers.slice(0, HALF), answers.slice(HALF)].map(filterDecided);
      const [winners = [], losers = []] = sides.sort((a) => (a.some(succeeded) ? -1 : 1));
      expectOneAndReplays(winners);
      expect(tally(losers)).toEqual(['422 amount-exceeds-refundable']);
      expect(await get(`/v1/payments/${payment_id}`)).toMatchObject({
        status: 'refunded',
        amount_refunded_cents: 1000,
      });
      keyedSuccesses += 2;
    }),
  );

  test('all requests: fewer than 1 in 1,000 undecided, a record for each success with a key [CONTRACT §8, CONTRACT §10]', async () => {
    faults.plan();
    await checkInvariants(service);
    expect(requests).toBeGreaterThanOrEqual(enough);
    // Of the few requests of npm test, one request may be undecided: two requests are, by chance, in 1 of 100,000 runs.
    expect(undecided).toBeLessThanOrEqual(isDeep ? requests / 1000 : 1);
    expect(await scan(service, 'idempotency')).toHaveLength(keyedSuccesses);
  });
});
