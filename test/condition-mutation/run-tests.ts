import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What came of a run of some tests. */
export interface TestRun {
  readonly passed: number;
  readonly failed: number;
  /** Whether a file could not be run at all. */
  readonly broken: boolean;
  /** The guards sent, each with the file that sent it; instead of a file, `invalid` with what the engine refused. */
  readonly sent: readonly (readonly [file: string, guard: string])[];
  /** Jest's own report. */
  readonly report: string;
}

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** A number of Jest's summary: `Tests: 1 failed, 7 passed, 8 total`. */
const count = (report: string, what: string): number =>
  Number(new RegExp(`^Tests: .*?(\\d+) ${what}`, 'm').exec(report)?.[1] ?? 0);

/**
 * Runs tests in a process of their own.
 * @param folder for its files
 * @param dropped the guard to take out; the first file that fails then decides
 */
export const runTests = async (folder: string, tests: readonly string[], dropped = ''): Promise<TestRun> => {
  const record = join(folder, randomUUID());
  const options = dropped ? ['--runInBand', '--bail'] : [];
  const child = spawn(process.execPath, [...JEST, ...options, ...tests], {
    env: { ...process.env, NO_COLOR: '1', GUARD_RECORD: record, GUARD_DROPPED: dropped },
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
