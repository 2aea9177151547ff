import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { extent, partOf, stride } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { FAULTS, type Fault, injectFaults } from '#test/support/faults/faults.ts';
import { interleave, interrupt } from '#test/support/faults/interleave.ts';
import { comparable, sendDryRun } from '#test/support/requests/dry-run.ts';
import { below, drawRequest, Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import type { Answer, Call } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { changesBetween, emptyTables, type Snapshot, snapshot } from '#test/support/state/snapshots.ts';

/*
 * Dry runs while other requests write, and while AWS calls fail. `SEED=… npm test -- test/resilience/dry-run-races`
 * repeats the requests of a seed; `RUNS=…` sends more.
 */
const RUNS = extent({ full: 30, part: 2 });

const service = await startService();
service.checks.documented = false;
const faults = injectFaults(service.client);
const raceAtAnyCall = interrupt(service.client);
const raceAtCommit = interleave(service.client);
afterAll(() => service.stop());

const WRITES = weightedMatrix.filter(([, , , operation]) => operation.isWrite);
const MAX_CALLS = 4;
/** The pool is small, so that the two requests often concern the same resources. */
const CAPACITY = 2;
/** The tables are emptied after this many runs. */
const EPOCH = 50;

const chance = chances(SEED);

/** Runs a request and a write at the same time; undefined when the request made no call before which the write fits. */
type Race = (write: () => Promise<void>, request: () => Promise<Answer>) => Promise<Answer | undefined>;

const beforeAnyCall: Race = async (write, request) => {
  const { response, isInterrupted } = await raceAtAnyCall(1 + below(chance, MAX_CALLS), write, request);
  return isInterrupted ? response : undefined;
};

const beforeTheChecks: Race = async (write, request) => {
  let response: Answer | undefined;
  await raceAtCommit(write, async () => {
    response = await request();
  }).catch(() => {
    response = undefined;
  });
  return response;
};

/** Races random dry runs against random writes, and returns the contradictions. */
const runRaces = async (race: Race, isPossible: (actual: string, before: string, after: string) => boolean) => {
  const wrong: unknown[] = [];
  let pool = new Pool(CAPACITY);
  for (let run = 0, races = 0; races < RUNS; run += 1) {
    if (run % EPOCH === 0) {
      await emptyTables(service);
      pool = new Pool(CAPACITY);
    }
    const [[, version, , operation], [, otherVersion, , other]] = [pick(chance, WRITES), pick(chance, WRITES)];
    const call = drawRequest(operation, version, pool, chance);
    const competing = drawRequest(other, otherVersion, pool, chance);
    const since = Date.now();
    const text = (answer: Answer) => JSON.stringify(comparable(answer, since));
    const before = await sendDryRun(service, call);
    let state: Snapshot | undefined;
    const write = async () => {
      pool.add(other, await service.send(competing.target, competing.sent));
      state = await snapshot(service);
    };
    const response = await race(write, () => sendDryRun(service, call));
    if (!state) await write();
    if (!response) continue;
    races += 1;
    const effects = changesBetween(state ?? new Map(), await snapshot(service));
    const after = await sendDryRun(service, call);
    if (effects.length > 0 || !isPossible(text(response), text(before), text(after)))
      wrong.push({ call, competing, effects, response, before, after });
  }
  return wrong;
};

test(`${RUNS} dry runs, a write before any AWS call of each: the response before or after that write, and no effect [CONTRACT §13]`, async () => {
  const wrong = await runRaces(beforeAnyCall, (actual, before, after) => [before, after].includes(actual));
  expect(wrong.slice(0, 3)).toEqual([]);
  await checkInvariants(service);
});

test(`${RUNS} dry runs, a write before the checks of each: the response after that write, and no effect [CONTRACT §13]`, async () => {
  const wrong = await runRaces(beforeTheChecks, (actual, _, after) => actual === after);
  expect(wrong.slice(0, 3)).toEqual([]);
});

/** Attempts of the SDK for one call. */
const SDK_ATTEMPTS = 3;
/** How long a fault lasts, and the remaining time of the request in milliseconds. */
const LASTING: Readonly<Record<string, { until: (from: number) => number; remaining: number }>> = {
  once: { until: (from) => from + 1, remaining: 8000 },
  'for one call': { until: (from) => from + SDK_ATTEMPTS, remaining: 8000 },
  'for good': { until: () => Number.POSITIVE_INFINITY, remaining: 1030 },
};

const written = operations.filter(([, operation]) => operation.isWrite).map(([, one]) => [one.route, one] as const);

/** A part of the tests takes a sixth of the faults for each operation and duration, at some of the calls. */
const faultsFor = (operation: Operation, lasting: string): readonly Fault[] => {
  const turn = written.findIndex(([, one]) => one === operation) + Object.keys(LASTING).indexOf(lasting);
  return partOf(FAULTS, 6, turn);
};

describe.each(written)('a dry run of %s', (_, operation) => {
  const durations = partOf(
    Object.keys(LASTING),
    2,
    written.findIndex(([, one]) => one === operation),
  );
  test.each(durations)('any fault at any AWS call, %s: nothing changes [CONTRACT §13]', async (lasting) => {
    const caller = { account: `acct_${randomUUID().slice(0, 8)}` };
    const { target, sent } = request(operation, 'v1', await createPrerequisites(service, operation, caller));
    const { until, remaining } = LASTING[lasting] as (typeof LASTING)[string];
    const call: Call = { target, sent: { ...sent, as: caller, remaining } };
    const [status] = Object.keys(operation.returns).map(Number);
    const state = await snapshot(service);
    for (const kind of faultsFor(operation, lasting)) {
      for (let from = 1, calls = 1; from <= calls; from += stride(15)) {
        await retryWithoutDelay(service.client);
        faults.plan(({ number, command }) => {
          const isPossible = kind !== 'conflict' || command.startsWith('TransactWrite');
          return isPossible && number >= from && number < until(from) ? kind : undefined;
        });
        const answer = await sendDryRun(service, call);
        calls = faults.attempts.length;
        faults.plan();
        expect([kind, from, answer.headers['dry-run']]).toEqual([kind, from, 'true']);
        if (answer.status !== status) expect([409, 500, 503]).toContain(answer.status);
        if (answer.status === 500) expect(kind).toMatch(/^crash/);
      }
      expect([kind, changesBetween(state, await snapshot(service))]).toEqual([kind, []]);
    }
  });
});
