import { cpus } from 'node:os';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { measureColdStarts, measureWarmCalls } from './cpu.ts';
import { measureExports } from './exports/exports.ts';
import { compareItems } from './items.ts';
import { type Builds, createBuilds } from './measure/builds.ts';
import { type BenchEnvironment, createEnvironment } from './measure/environment.ts';
import { atMost } from './measure/report.ts';
import { median, minimum, type Progress, ratios, type Samples } from './measure/samples.ts';
import { comparePayments } from './payments.ts';

const MAX_BYTES = 1_200_000;
const COLD_TARGET = 0.72;
const WARM_TARGET = 1.2;

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  /** Runs only the exports. */
  exports: { type: 'boolean', default: false },
  /** Runs only the payments with a key. */
  payments: { type: 'boolean', default: false },
  /** Runs only the invoices with items. */
  items: { type: 'boolean', default: false },
  /** The number of exported invoices. */
  rows: { type: 'string' },
} as const;
const QUICK_ROWS = '50000';
const FULL_ROWS = '1000000';
/** Numbers of processes: `cold` for one call each, `processes` for warm calls. */
const QUICK_COUNTS = { cold: 10, processes: 1 };
const FULL_COUNTS = { cold: 40, processes: 4 };

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** On a terminal, shows the progress in one line, which is erased at the end. */
const createProgress = (task: string): Progress => {
  let done = 0;
  return (_, of) => {
    done += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${done < of ? `${task}: ${done} of ${of}` : ''}\u001b[K`);
  };
};

const row = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i === 0 ? String(cell).padEnd(22) : String(cell).padStart(16))).join('');

const inMilliseconds = (microseconds: number): string => `${(microseconds / 1000).toFixed(2)} ms`;

const printRatio = (title: string, samples: Samples, target: number): void => {
  const { medians, minima, pairs } = ratios(samples);
  print(`\n${title}, ${samples.baseline.length} samples each`);
  print(row('', 'median', 'minimum'));
  for (const name of ['baseline', 'service'] as const) {
    print(row(name, inMilliseconds(median(samples[name])), inMilliseconds(minimum(samples[name]))));
  }
  print(row('ratio', medians.toFixed(2), minima.toFixed(2), `pairs ${pairs.toFixed(2)}`, atMost(pairs, target)));
};

const printSizes = (sizes: readonly (readonly [string, number])[]): void => {
  print(`\nBytes of code and code cache, target ≤ ${MAX_BYTES.toLocaleString('en')} for an endpoint`);
  for (const [name, bytes] of sizes) print(row(name, bytes.toLocaleString('en')));
};

const measureRequests = async (environment: BenchEnvironment, builds: Builds, quick: boolean): Promise<void> => {
  const samples = quick ? QUICK_COUNTS : FULL_COUNTS;
  printSizes(builds.sizes);
  const coldSamples = await measureColdStarts(builds, environment.call, samples.cold, createProgress('Cold starts'));
  printRatio('CPU of a cold start and its first call, GET /v1/invoices/<id>', coldSamples, COLD_TARGET);
  const warmSamples = await measureWarmCalls(
    builds,
    environment.call,
    samples.processes,
    createProgress('Warm rounds'),
  );
  printRatio('CPU of one warm call, GET /v1/invoices/<id>', warmSamples, WARM_TARGET);
};

const measure = async (): Promise<void> => {
  const usage = '--quick, --exports, --payments, --items and --rows <number>';
  const {
    quick,
    exports,
    payments,
    items,
    rows = quick ? QUICK_ROWS : FULL_ROWS,
  } = parseOptions(process.argv.slice(2), OPTIONS, usage);
  if (!/^[1-9]\d*$/.test(rows)) throw new CliError(`--rows must be a positive integer, not ${rows}.`);
  print(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
  const environment = await createEnvironment();
  try {
    const report = { print, row, progress: createProgress };
    if (payments) return await comparePayments(environment.token, quick, report);
    if (items) return await compareItems(environment.token, quick ? 10 : 40, report);
    const builds = await createBuilds(environment.directory);
    if (!exports) {
      await measureRequests(environment, builds, quick);
      await comparePayments(environment.token, quick, report);
    }
    await measureExports(builds.exportWorker, environment.directory, Number(rows), report);
  } finally {
    await environment.teardown();
  }
};

await run(measure);
