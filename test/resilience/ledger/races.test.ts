import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { extent, isDeep } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { type Faults, injectFaults, type Plan } from '#test/support/faults/faults.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';

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

  test('64 payments of 100 with 64 keys, an invoice of 1,000: exactly ten succeed [CONTRACT §4]', () =>
    repeat(0.04, async () => {
      const id = await invoice();
      const answers = filterDecided(await race(times(CLIENTS, () => () => pay(id, 100))));
      const accepted = answers.filter(succeeded);
      expect(accepted).toHaveLength(10);
      expect(['201', '422 amount-exceeds-due', '422 invoice-not-payable']).toEqual(
        expect.arrayContaining(tally(answers)),
      );
      expect(new Set(await paymentsOf(id))).toEqual(new Set(accepted.map(({ json }) => json)));
      expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', amount_paid_cents: 1000 });
      keyedSuccesses += 10;
    }));

  test('payments against cancels: one payment or the cancel succeeds, and all responses agree [CONTRACT §4]', () =>
    repeat(0.28, async () => {
      const id = await invoice(100);
      const answers = await race([
        ...times(HALF, () => () => pay(id, 100)),
        ...times(HALF, () => () => post(`/v1/invoices/${id}/cancel`)),
      ]);
      const [pays, cancels] = [filterDecided(answers.slice(0, HALF)), filterDecided(answers.slice(HALF))];
      const { status, amount_paid_cents } = await get(`/v1/invoices/${id}`);
      const won = pays.filter(succeeded).length;
      keyedSuccesses += won;
      if (won > 0) {
        expect([won, status, amount_paid_cents]).toEqual([1, 'paid', 100]);
        expect(tally(pays)).toEqual(['201', '422 invoice-not-payable']);
        expect(tally(cancels)).toEqual(['409 invoice-not-cancelable']);
      } else {
        expect([status, amount_paid_cents]).toEqual(['canceled', 0]);
        expect(tally(pays)).toEqual(['422 invoice-not-payable']);
        expect(new Set(cancels.map(({ status, headers }) => `${status} ${headers['etag']}`))).toEqual(
          new Set(['200 "2"']),
        );
      }
    }));

  test.each(isDeep ? [1, 2] : [1])(
    '64 openings, number series: %d: the numbers are 1, 2, 3 … in each, each once [CONTRACT §4]',
    (count) =>
      repeat(0.04, async () => {
        const all = times(count, () =>
          post('/v1/number-series', { prefix: `${randomUUID().slice(0, 8).toUpperCase()}-` }),
        );
        const series = (await Promise.all(all)).map(({ json }) => json);
        const open = (i: number) => () => post('/v1/invoices', { series_id: series[i % count].id }, randomUUID());
        const answers = filterDecided(await race(Array.from({ length: CLIENTS }, (_, i) => open(i))));
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

  test('voids against refunds of one payment: it is voided or refunded, and all responses agree [CONTRACT §4]', () =>
    repeat(0.28, async () => {
      const id = await invoice(100);
      const { id: payment_id } = (await pay(id, 100)).json;
      const answers = await race([
        ...times(HALF, () => () => post(`/v1/payments/${payment_id}/void`)),
        ...times(HALF, () => () => post('/v1/refunds', { payment_id, amount_cents: 100 }, randomUUID())),
      ]);
      const [voids, refunds] = [filterDecided(answers.slice(0, HALF)), filterDecided(answers.slice(HALF))];
      const { status } = await get(`/v1/payments/${payment_id}`);
      const refunded = refunds.filter(succeeded).length;
      keyedSuccesses += 1 + refunded;
      if (refunded > 0) {
        expect([refunded, status]).toEqual([1, 'refunded']);
        expect(tally(voids)).toEqual(['409 payment-has-refunds']);
        expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', settlement: 'payments' });
      } else {
        expect(status).toBe('voided');
        expect([tally(voids), tally(refunds)]).toEqual([['200'], ['422 payment-voided']]);
        expect(await get(`/v1/invoices/${id}`)).toMatchObject({ status: 'open', amount_paid_cents: 0 });
      }
    }));

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
