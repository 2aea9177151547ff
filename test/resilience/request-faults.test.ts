import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isDeep, partOf, stride } from '#test/support/extent/extent.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { FAULTS, type Fault, type Faults, injectFaults } from '#test/support/faults/faults.ts';
import type { Answer, Call } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';
import { stateOf, withoutVarying } from './stored-state.ts';
import { type WriteCase, writeCases } from './write-cases.ts';

/*
 * Injects every fault into every AWS call of every write, and of reads: once (a retry of the SDK may succeed), for all
 * attempts of one call, and for good (no retry succeeds). Then the client retries. The response and the rows must equal
 * the result of the same request without a fault.
 */

/** One service per kind of fault, so that all kinds run at the same time. */
interface Lane {
  readonly kind: Fault;
  readonly service: LocalService;
  readonly faults: Faults;
}

let lanes: Lane[];
let whole: LocalService;
beforeAll(async () => {
  lanes = [];
  for (const kind of FAULTS) {
    const service = await startService();
    lanes.push({ kind, service, faults: injectFaults(service.client) });
  }
  whole = await startService();
});
afterAll(() => Promise.all([whole, ...lanes.map(({ service }) => service)].map((service) => service.stop())));

/** Attempts of the SDK for one call. */
const SDK_ATTEMPTS = 3;
/**
 * The attempts that fail, and the remaining time of the request in milliseconds: enough to retry, or just enough to give
 * up. A slower engine takes longer to reach the call that fails (docs/engines.md).
 */
const LASTING = {
  once: { until: (from: number) => from + 1, remaining: 8000 },
  'for one call': { until: (from: number) => from + SDK_ATTEMPTS, remaining: 8000 },
  'for good': { until: () => Number.POSITIVE_INFINITY, remaining: Number(process.env['GIVE_UP_MS'] ?? 1150) },
};
type Duration = keyof typeof LASTING;
const DURATIONS = Object.keys(LASTING) as Duration[];

const STRIDE = stride(24);
const isFailure = ({ status }: Answer) => status >= 400;
const newCaller = () => ({ account: newAccount() });

const expectRetryable = (answer: Answer, kind: Fault) => {
  if (kind.startsWith('crash') && answer.status === 500) return expect(answer.json.code).toBe('internal-error');
  expect([`503 unavailable`, `409 request-in-progress`]).toContain(`${answer.status} ${answer.json.code}`);
  expect(answer.headers['retry-after']).toBe('1');
};

/** Sends a request during a fault from an AWS call on, and again without the fault if it failed. */
const sendTwice = async ({ kind, service, faults }: Lane, { target, sent }: Call, from: number, duration: Duration) => {
  const { until, remaining } = LASTING[duration];
  await retryWithoutDelay(service.client);
  faults.plan(({ number, command }) => {
    const isPossible = kind !== 'conflict' || !/^(Get|BatchGet|Query)/.test(command);
    return isPossible && number >= from && number < until(from) ? kind : undefined;
  });
  const first = await service.send(target, { ...sent, remaining });
  const calls = faults.attempts.length;
  faults.plan();
  if (!isFailure(first)) return { answer: first, tries: 1, calls };
  expectRetryable(first, kind);
  return { answer: await service.send(target, sent), tries: 2, calls };
};

/** Repeats `attempt` for a fault from call 1, 2, 3 … on, and returns when the request has no more calls. */
const atEachCall = async (lane: Lane, attempt: (from: number) => Promise<number>): Promise<void> => {
  const first = 1 + (lanes.indexOf(lane) % STRIDE);
  for (let from = first, calls = first; from <= calls + 1; from += STRIDE) calls = await attempt(from);
};

/** Waits for all lanes: a lane that still runs would disturb the next test. */
const inLanes = async (turn: number, work: (lane: Lane) => Promise<void>): Promise<void> => {
  const ends = await Promise.allSettled(partOf(lanes, 6, turn).map(work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};

const outcomeOf = async (service: LocalService, { status, headers, text }: Answer, account: string) => ({
  answer: [status, headers['etag'], withoutVarying(text)],
  rows: await stateOf(service, account),
});

/** The outcome of a write without a fault. */
const expectedOf = async ({ prepare }: WriteCase) => {
  const caller = newCaller();
  const { target, sent } = await prepare(whole, caller);
  const answer = await whole.send(target, { ...sent, as: caller });
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  return outcomeOf(whole, answer, caller.account);
};

// A part of the tests takes one duration and a sixth of the faults for each case, at some of the calls.
describe.each(writeCases)('$name, any fault at any AWS call, then a retry', (one) => {
  test.each(partOf(DURATIONS, 3, writeCases.indexOf(one)))(
    'the fault occurs %s: the response and the rows of one request [CONTRACT §8, CONTRACT §10]',
    async (duration) => {
      const expected = await expectedOf(one);
      await inLanes(writeCases.indexOf(one) + DURATIONS.indexOf(duration), (lane) =>
        atEachCall(lane, async (from) => {
          const caller = newCaller();
          const { target, sent } = await one.prepare(lane.service, caller);
          const call = { target, sent: { ...sent, as: caller } };
          const { answer, tries, calls } = await sendTwice(lane, call, from, duration);
          const actual = await outcomeOf(lane.service, answer, caller.account);
          const isDone = tries > 1 && answer.status === one.already;
          expect(actual).toEqual(isDone ? { ...actual, rows: expected.rows } : expected);
          if (isDeep) await checkInvariants(lane.service, caller.account);
          return calls;
        }),
      );
    },
  );
});

describe('POST /invoices without a key, any fault at any AWS call, then a retry', () => {
  test.each(DURATIONS)(
    'the fault occurs %s: at least one invoice, and at most one invoice for each try [CONTRACT §8, CONTRACT §10]',
    (duration) =>
      inLanes(DURATIONS.indexOf(duration), (lane) =>
        atEachCall(lane, async (from) => {
          const caller = newCaller();
          const call = { target: '/v1/invoices', sent: { method: 'POST', body: {}, as: caller } };
          const { answer, tries, calls } = await sendTwice(lane, call, from, duration);
          const { length } = await rowsOf(lane.service, 'invoices', caller.account);
          expect([answer.status, length >= 1, length <= tries]).toEqual([201, true, true]);
          return calls;
        }),
      ),
  );
});

const READS: Readonly<Record<string, (ids: Readonly<Record<string, number>>) => string>> = {
  'items of v2': () => '/v2/invoice-items',
  'nested payments': ({ invoice }) => `/v1/invoices/${invoice}/payments`,
  'an expanded member': ({ invoice }) => `/v1/invoices/${invoice}?expand=customer`,
  'a member with its items': ({ itemized }) => `/v1/invoices/${itemized}?expand=customer,items`,
  'an expanded, filtered list': () => '/v1/invoices?status=open&expand=customer',
  'a page by number': () => '/v1/invoices?page=2&per_page=1',
  'a member': ({ customer }) => `/v1/customers/${customer}`,
  'a filtered list': () => '/v1/customers?email=a@example.com',
};

describe.each(Object.entries(READS))('GET of %s, any fault at any AWS call, then a retry', (name, targetOf) => {
  test.each(partOf(DURATIONS, 3, Object.keys(READS).indexOf(name)))(
    'the fault occurs %s: the response without a fault [CONTRACT §10]',
    (duration) =>
      inLanes(Object.keys(READS).indexOf(name) + DURATIONS.indexOf(duration), async (lane) => {
        const caller = newCaller();
        const create = async (collection: string, body: object): Promise<number> => {
          const headers = { 'idempotency-key': randomUUID() };
          return (await lane.service.send(`/v1/${collection}`, { method: 'POST', body, headers, as: caller })).json.id;
        };
        const customer = await create('customers', { name: 'Ada', email: 'a@example.com' });
        const invoice = await create('invoices', { total_cents: 100, customer_id: customer });
        await create('payments', { invoice_id: invoice, amount_cents: 90 });
        const item = { description: 'x', unit_amount_cents: 7 };
        const invoice_id = await create('invoices', { customer_id: customer, items: [item] });
        await create('invoice-items', { invoice_id, ...item });
        const call = { target: targetOf({ customer, invoice, itemized: invoice_id }), sent: { as: caller } };
        const expected = await lane.service.send(call.target, call.sent);
        expect([expected.status, expected.json.data?.length]).not.toEqual([200, 0]);
        await atEachCall(lane, async (from) => {
          const { answer, calls } = await sendTwice(lane, call, from, duration);
          expect([answer.status, answer.text]).toEqual([200, expected.text]);
          return calls;
        });
      }),
  );
});

test('after all of these requests: the tables have every invariant [CONTRACT §4]', async () => {
  for (const { service } of lanes) await checkInvariants(service);
});
