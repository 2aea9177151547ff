import { cpus } from 'node:os';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { progress } from '#local/cli/progress.ts';
import { type Builds, makeBuilds } from './builds.ts';
import { compareIdempotency } from './comparison.ts';
import { cold, warm } from './cpu.ts';
import { type BenchEnvironment, createEnvironment } from './environment.ts';
import { compareExports } from './export-comparison.ts';
import { atMost } from './report.ts';
import { least, median, type Progress, ratios, type Samples } from './samples.ts';

const MOST_BYTES = 340_000;
const COLD_TARGET = 1;
const WARM_TARGET = 1.2;

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  /** The exports alone. */
  exports: { type: 'boolean', default: false },
  /** How many invoices are exported. */
  rows: { type: 'string' },
} as const;
const QUICK_ROWS = '50000';
const WHOLE_ROWS = '1000000';
/** Fresh processes to start cold, and to warm up. */
const QUICK = { cold: 10, processes: 1 };
const WHOLE = { cold: 40, processes: 4 };

const say = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** A round tells of itself as it begins. */
const showing = (task: string): Progress => {
  let step: (() => void) | undefined;
  return (_, of) => {
    step ??= progress(task, of);
    step();
  };
};

const row = (...cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i === 0 ? String(cell).padEnd(22) : String(cell).padStart(16))).join('');

const inMilliseconds = (microseconds: number): string => `${(microseconds / 1000).toFixed(2)} ms`;

const sayRatio = (title: string, samples: Samples, target: number): void => {
  const { medians, minima, pairs } = ratios(samples);
  say(`\n${title}, ${samples.baseline.length} samples each`);
  say(row('', 'median', 'least'));
  for (const name of ['baseline', 'service'] as const) {
    say(row(name, inMilliseconds(median(samples[name])), inMilliseconds(least(samples[name]))));
  }
  say(row('ratio', medians.toFixed(2), minima.toFixed(2), `pairs ${pairs.toFixed(2)}`, atMost(pairs, target)));
};

const saySizes = (sizes: readonly (readonly [string, number])[]): void => {
  say(`\nBytes deployed, target ≤ ${MOST_BYTES.toLocaleString('en')} each`);
  for (const [name, bytes] of sizes) say(row(name, bytes.toLocaleString('en')));
};

/** What requests take. */
const measureRequests = async (stage: BenchEnvironment, builds: Builds, quick: boolean): Promise<void> => {
  const samples = quick ? QUICK : WHOLE;
  saySizes(builds.sizes);
  const coldSamples = await cold(builds, stage.call, samples.cold, showing('Cold starts'));
  sayRatio('CPU of a cold start and its first call, GET /v1/invoices/<id>', coldSamples, COLD_TARGET);
  const warmSamples = await warm(builds, stage.call, samples.processes, showing('Warm rounds'));
  sayRatio('CPU of one warm call, GET /v1/invoices/<id>', warmSamples, WARM_TARGET);
  await compareIdempotency(stage, quick, { say, row, progress: showing });
};

const measure = async (): Promise<void> => {
  const usage = '--quick, --exports and --rows <number>';
  const {
    quick,
    exports,
    rows = quick ? QUICK_ROWS : WHOLE_ROWS,
  } = parseOptions(process.argv.slice(2), OPTIONS, usage);
  if (!/^[1-9]\d*$/.test(rows)) throw new CliError(`--rows must be a positive integer, not ${rows}.`);
  say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`);
  const stage = await createEnvironment();
  try {
    const builds = await makeBuilds(stage.directory);
    if (!exports) await measureRequests(stage, builds, quick);
    await compareExports(builds, stage.directory, Number(rows), { say, row, progress: showing });
  } finally {
    await stage.teardown();
  }
};

await run(measure);
