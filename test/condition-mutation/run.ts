import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '#test/support/requests/requests.ts';
import { runTests, type TestRun } from './run-tests.ts';

/*
 * npm run test:conditions: removes each clause from the conditions of the service's writes, one at a time, and expects
 * the tests that send it to fail. A condition with several clauses is also removed as a whole.
 */

/** The kind of write of each method of a store. Methods that read are missing. */
const KINDS: Readonly<Record<string, string>> = {
  insert: 'Put',
  append: 'Put',
  publish: 'Delete',
  replace: 'Update',
  remove: 'Delete',
  checkVersion: 'ConditionCheck',
  check: 'ConditionCheck',
  moveCount: 'Update (',
  increment: 'Update (+1)',
  decrement: 'Update (-1)',
};

const folder = mkdtempSync(join(tmpdir(), 'clauses-'));

/** The clauses that the tests of this folder send, each with the tests that must fail without it. */
const findClauses = async (): Promise<Map<string, TestRun['sent'][number][]>> => {
  const { failed, broken, passed, report, sent } = await runTests(folder, ['test/condition-mutation']);
  if (failed > 0 || broken || passed === 0) throw new Error(`Tests fail before any clause is removed.\n${report}`);
  return Map.groupBy(sent, ([, clause]) => clause);
};

/** The writes that endpoints declare, and that no test sends. */
const findUnsent = (clauses: readonly string[]): string[] =>
  operations.flatMap(([, { route, uses }]) =>
    Object.entries(uses)
      .flatMap(([store, methods]) => methods.map((method) => [`${route} | ${store} ${KINDS[method]}`, method] as const))
      .filter(([start, method]) => method in KINDS && !clauses.some((clause) => clause.startsWith(start)))
      .map(([start]) => start),
  );

/** The reason why a removed clause does not count as caught, if any. */
const reasonNotCaught = ({ failed, passed, broken, sent }: TestRun, clause: string): string | undefined => {
  if (sent.some(([file]) => file === 'invalid')) return 'the engine rejects the request without it';
  if (!sent.some(([, name]) => name === clause)) return 'no test sends it';
  if (failed > 0) return undefined;
  return broken || passed === 0 ? 'the tests do not run' : 'every test passes without it';
};

const check = async (): Promise<boolean> => {
  const clauses = await findClauses();
  const missing = findUnsent([...clauses.keys()]);
  for (const start of missing) console.log(`MISSED  ${start}…: no test sends it`);
  const queue = [...clauses].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = queue.length + missing.length;
  let caught = 0;
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [clause, sent] = next;
      const files = sent.map(([file]) => file);
      const why = reasonNotCaught(await runTests(folder, files, clause), clause);
      console.log(why ? `MISSED  ${clause}: ${why}` : `caught  ${clause}`);
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
