import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** The result of a run of tests. */
export interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** Whether Jest could not run a file. */
  readonly broken: boolean;
  /** The names of the clauses sent, each with its test file; or `invalid` with an error of the engine. */
  readonly sent: readonly (readonly [file: string, clause: string])[];
  readonly report: string;
}

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** A number of Jest's summary: `Tests: 1 failed, 7 passed, 8 total`. */
const count = (report: string, what: string): number =>
  Number(new RegExp(`^Tests: .*?(\\d+) ${what}`, 'm').exec(report)?.[1] ?? 0);

/**
 * Runs tests in a new process.
 * @param folder for temporary files
 * @param removed the clause to remove; the run then ends at the first test file that fails
 */
export const runTests = async (folder: string, tests: readonly string[], removed = ''): Promise<TestRun> => {
  const record = join(folder, randomUUID());
  const options = ['--selectProjects', 'deep', ...(removed ? ['--runInBand', '--bail'] : [])];
  const child = spawn(process.execPath, [...JEST, ...tests, ...options], {
    env: { ...process.env, NO_COLOR: '1', CLAUSE_RECORD: record, REMOVED_CLAUSE: removed },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const report = await text(child.stderr);
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  return {
    passed: count(report, 'passed'),
    failed: count(report, 'failed'),
    broken: report.includes('Test suite failed to run'),
    sent: lines.map((line) => line.split('\t') as [string, string]),
    report,
  };
};
