import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { extent, isDeep } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { comparable, dryResponseOf, sendDryRun } from '#test/support/requests/dry-run.ts';
import { mutate, rawOf } from '#test/support/requests/malformed.ts';
import { drawRequest, Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import { createPrerequisites, matrix, request, resetCounters } from '#test/support/requests/requests.ts';
import type { Call, Caller } from '#test/support/service/client.ts';
import { startExports } from '#test/support/service/exports.ts';
import { changesBetween, emptyTables, type Snapshot, snapshot } from '#test/support/state/snapshots.ts';

/*
 * Random writes of every operation under every version, each as a dry run and then without `dry_run` on the same state.
 * `SEED=… npm test -- test/resilience/random-dry-runs` repeats the requests of a seed; `RUNS=1000` sends 1,000 of each.
 */
/** The first run has no refused request, and a second one alone may have too few. */
const ROUTES = Object.values(endpoints).flatMap(routesOf);

const RUNS = Math.max(3, extent({ full: 8, part: 3 }));
/** Unless it is deep, each operation under one of the two versions, in turn. */
const WRITES = matrix
  .filter(([, , , operation]) => operation.isWrite)
  .filter((_, i) => isDeep || [0, 3].includes(i % 4));
const CREATIONS = weightedMatrix.filter(([, , , { returns }]) => 201 in returns || 202 in returns);
/** The tables are emptied after this many rounds, because each run reads them. */
const ROUNDS = 2;

const service = await startExports();
service.checks.documented = false;
afterAll(() => service.stop());

const chance = chances(SEED);
let pool: Pool;
/** The tables since the last request that changed them. */
let state: Snapshot | undefined;

/** Mostly an admin, and sometimes callers whom scopes and rules restrict, or another account. */
const CALLERS: readonly Caller[] = [
  ...Array<Caller>(12).fill({}),
  ...[{ role: 'clerk', sub: 'user_2' }, { role: 'accountant' }, { role: 'viewer' }, { account: 'acct_2' }],
];

const send = async (operation: Operation, { target, sent }: Call) => {
  const answer = await service.send(target, sent);
  if (answer.status < 400) {
    state = undefined;
    pool.add(operation, answer);
  }
  return answer;
};

/** Creates a resource, so that later requests find some. */
const grow = async (): Promise<void> => {
  const [, version, , operation] = pick(chance, CREATIONS);
  await send(operation, drawRequest(operation, version, pool, chance));
  await service.purge();
};

/** The last request of each operation that was executed under a key. */
const executed = new Map<string, Call>();

/** Draws a request that succeeds, any well-formed one, a malformed one, or one whose key has a record. */
const drawCall = async (run: number, title: string, version: Version, operation: Operation): Promise<Call> => {
  if (run % 4 === 0) {
    await resetCounters(service);
    state = undefined;
    return request(operation, version, await createPrerequisites(service, operation));
  }
  const drawn = drawRequest(operation, version, pool, chance);
  const kind = chance();
  const before = executed.get(title);
  if (kind < 1 / 8 && before) return pick(chance, [before, { ...before, sent: { ...before.sent, ...bodyOf(drawn) } }]);
  if (kind < 1 / 4) {
    const raw = mutate(rawOf(drawn), chance);
    const isDrawn = ['POST', 'PATCH', 'PUT', 'DELETE'].includes(raw.method) && !raw.target.includes('dry_run');
    if (isDrawn) return { target: raw.target, sent: raw };
  }
  return { ...drawn, sent: { ...drawn.sent, as: pick(chance, CALLERS) } };
};

const bodyOf = ({ sent: { body } }: Call) => (body === undefined ? {} : { body });

/** Sends a dry run and then the request. Returns the status of the request, and the difference, if any. */
const compare = async (operation: Operation, call: Call): Promise<{ status: number; defect?: unknown }> => {
  state ??= await snapshot(service);
  const before = state;
  const since = Date.now();
  const dry = await sendDryRun(service, call);
  const after = await snapshot(service);
  const messages = operation.sendsTo ? await service.receive() : [];
  const real = await send(operation, call);
  if (operation.sendsTo) await service.purge();
  const { target, sent } = call;
  const isRouted = matches(ROUTES, target.split('?')[0] as string).some(({ route }) => route.method === sent.method);
  const wanted = !isRouted ? real : dryResponseOf(real, dry);
  const [actual, expected] = [comparable(dry, since), comparable(wanted, since)];
  const { status } = real;
  if (status >= 500) return { status, defect: real.text };
  const effects = [...changesBetween(before, after), ...messages];
  if (effects.length > 0) return { status, defect: { effects } };
  return isDeepStrictEqual(actual, expected) ? { status } : { status, defect: { actual, expected } };
};

test(`${RUNS} random requests of each write: a dry run has the response of the request, and no effect [CONTRACT §13]`, async () => {
  const wrong: unknown[] = [];
  const statuses = new Map(WRITES.map(([title]) => [title, [] as number[]]));
  for (let run = 0; run < RUNS; run += 1) {
    if (run % ROUNDS === 0) {
      await emptyTables(service);
      executed.clear();
      [pool, state] = [new Pool(), undefined];
    }
    for (const [title, version, , operation] of WRITES) {
      await grow();
      const call = await drawCall(run, title, version, operation);
      if (operation.sendsTo) await service.purge();
      const { status, defect } = await compare(operation, call);
      if (defect) wrong.push({ title, call, defect });
      statuses.get(title)?.push(status);
      if (status < 300 && call.sent.headers?.['idempotency-key']) executed.set(title, call);
    }
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  // Without successes of each operation, and without refusals, the comparison would prove nothing.
  expect([...statuses].filter(([, all]) => !all.some((status) => status < 300))).toEqual([]);
  const refused = [...statuses.values()].flat().filter((status) => status >= 400);
  expect(refused.length).toBeGreaterThan((RUNS * WRITES.length) / 20);
});
