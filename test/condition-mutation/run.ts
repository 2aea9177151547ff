import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '#test/support/requests.ts';
import { type TestRun, runTests } from './run-tests.ts';

/*
 * npm run test:conditions: takes every guard out of the service's writes, one at a time, and expects the tests that send
 * it to fail. A guard is one clause of one condition of one endpoint, or the whole of a condition that has several.
 */

/** By which kind of write a store's method shows; a method that only reads shows by none. */
const KINDS: Readonly<Record<string, string>> = {
  insert: 'Put',
  replace: 'Update',
  remove: 'Delete',
  confirm: 'ConditionCheck',
  discard: 'Delete',
  count: 'Update (',
  increment: 'Update (+1)',
  decrement: 'Update (-1)',
};

/** Contract tests whose faults and walks are slow, and send nothing that others do not. */
const SLOW =
  'contract/(faults|large-pages|collections|authentication|errors|round-trips|field-selection|random-requests)';

const folder = mkdtempSync(join(tmpdir(), 'guards-'));

/** The guards that the tests send, each with the tests to run without it: its own, or whichever sends it. */
const findClauses = async (): Promise<Map<string, TestRun['sent'][number][]>> => {
  const [own, contract] = await Promise.all([
    runTests(folder, ['test/condition-mutation']),
    runTests(folder, ['test/contract', '--testPathIgnorePatterns', SLOW]),
  ]);
  for (const { failed, broken, passed, report } of [own, contract]) {
    if (failed > 0 || broken || passed === 0) throw new Error(`The tests fail as they are.\n${report}`);
  }
  const others = contract.sent.filter(([, guard]) => !own.sent.some(([, known]) => known === guard));
  return Map.groupBy([...own.sent, ...others], ([, guard]) => guard);
};

/** What an endpoint declares that it writes, and no test sends. */
const findUnsent = (guards: readonly string[]): string[] =>
  operations.flatMap(([, { route, uses }]) =>
    Object.entries(uses)
      .flatMap(([store, methods]) => methods.map((method) => [`${route} | ${store} ${KINDS[method]}`, method] as const))
      .filter(([start, method]) => method in KINDS && !guards.some((guard) => guard.startsWith(start)))
      .map(([start]) => start),
  );

/** Why a run without a guard does not count as caught. */
const reasonNotCaught = ({ failed, passed, broken, sent }: TestRun, guard: string): string | undefined => {
  if (sent.some(([file]) => file === 'invalid')) return 'the engine refuses the request without it';
  if (!sent.some(([, name]) => name === guard)) return 'no test sends it';
  if (broken || failed + passed === 0) return 'the tests do not run';
  return failed === 0 ? 'every test passes without it' : undefined;
};

const check = async (): Promise<boolean> => {
  const guards = await findClauses();
  const missing = findUnsent([...guards.keys()]);
  for (const start of missing) console.log(`MISSED  ${start}…: no test sends it`);
  const queue = [...guards].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = queue.length + missing.length;
  let caught = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [guard, sent] = next;
      const files = sent.map(([file]) => file);
      const why = reasonNotCaught(await runTests(folder, files, guard), guard);
      console.log(why ? `MISSED  ${guard}: ${why}` : `caught  ${guard}`);
      if (!why) caught++;
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  console.log(`caught ${caught} of ${total}`);
  return caught === total && total > 0;
};

try {
  process.exitCode = (await check()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
