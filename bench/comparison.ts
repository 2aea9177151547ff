import { readFileSync } from 'node:fs';
import type { BenchEnvironment } from './environment.ts';
import { type Comparison, compare, DUPLICATES, type Duplicates, type Used } from './idempotency.ts';
import type { Latency } from './latency.ts';
import type { Usage } from './meter.ts';
import { atMost, type Report } from './report.ts';
import { median, ratios } from './samples.ts';

const MOST_TRIPS = 2;
const MOST_UNITS = 6;
const RATIO_TARGET = 0.5;
const ERRORS_TARGET = 0;

/** Measures our idempotency against Powertools', and says what came of it; nothing is asserted. */
export const compareIdempotency = async (stage: BenchEnvironment, quick: boolean, paper: Report): Promise<void> => {
  const extent = quick ? { calls: 30, warmUp: 100, keys: 2 } : { calls: 200, warmUp: 500, keys: 5 };
  const { used, latencies, duplicates } = await compare(stage, extent, paper.progress);
  paper.say(`\nPOST /v1/payments under an Idempotency-Key, by Powertools ${version()} and by the service`);
  reportUsage(used, paper);
  for (const latency of latencies) reportLatency(latency, paper);
  reportParts(latencies[0] as Latency, paper);
  reportDuplicates(duplicates, paper);
};

/** Of the development dependency, which is pinned. */
const version = (): string => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return devDependencies['@aws-lambda-powertools/idempotency'];
};

const reportUsage = (used: readonly Used[], { say, row }: Report): void => {
  say(row('\nround trips', 'powertools', 'service'));
  for (const { request, usage } of used) {
    const { baseline, service } = usage;
    say(row(request, baseline.trips.length, service.trips.length, atMost(service.trips.length, MOST_TRIPS)));
  }
  say(row('\nwrite units', 'powertools', 'service', '  + those of indexes; or the items refused by a condition'));
  for (const { request, usage } of used) {
    const isFirst = request.startsWith('first');
    const target = isFirst ? [`${atMost(usage.service.units, MOST_UNITS)}, indexes aside`] : [];
    say(row(request, units(usage.baseline), units(usage.service), ...target));
  }
};

const units = ({ units, indexUnits, refused }: Usage): string =>
  refused > 0 ? `${refused} refused` : `${units} + ${indexUnits}`;

const inMilliseconds = (microseconds: number): string => `${(microseconds / 1000).toFixed(2)} ms`;

const PEERS = { baseline: 'powertools', documented: 'powertools, own SDK' } as const;

const reportLatency = ({ delay, samples }: Latency, { say, row }: Report): void => {
  const added = delay === 0 ? 'on the loopback as it is' : `with a simulated delay of ${delay} ms for each round trip`;
  say(`\nTime of a first call ${added}, ${samples.service.length} samples each`);
  say(row('', 'median', 'service by it', 'pairs'));
  for (const [rival, name] of Object.entries(PEERS)) {
    const baseline = samples[rival as keyof typeof PEERS];
    const { medians, pairs } = ratios({ baseline, service: samples.service });
    say(
      row(name, inMilliseconds(median(baseline)), medians.toFixed(2), pairs.toFixed(2), atMost(medians, RATIO_TARGET)),
    );
  }
  say(row('service', inMilliseconds(median(samples.service))));
};

const COMMANDS = ['GetItem', 'PutItem', 'UpdateItem', 'TransactWriteItems'];

/** Which part of a first call takes how long: what two round trips of four can come to, and what they cannot. */
const reportParts = ({ samples, calls }: Latency, { say, row }: Report): void => {
  say('\nOf that, without a delay, medians');
  say(row('', ...COMMANDS.map((command) => command.replace('Items', '')), 'all else'));
  for (const [rival, name] of Object.entries({ ...PEERS, service: 'service' })) {
    const of = calls[rival as keyof typeof calls];
    const parts = COMMANDS.map((command) => median(of.get(command) ?? [0]));
    const rest = median(samples[rival as keyof typeof samples]) - parts.reduce((sum, part) => sum + part, 0);
    say(row(name, ...[...parts, rest].map((part) => (part === 0 ? '–' : inMilliseconds(part)))));
  }
};

const most = (duplicates: readonly Duplicates[], of: keyof Duplicates): number =>
  Math.max(...duplicates.map((one) => one[of]));

const reportDuplicates = ({ baseline, service }: Comparison['duplicates'], { say, row }: Report): void => {
  say(`\n${DUPLICATES} concurrent requests under one key, the most of ${service.length} keys`);
  say(row('', 'powertools', 'service'));
  const errors = most(service, 'errors');
  say(row('errors', most(baseline, 'errors'), errors, atMost(errors, ERRORS_TARGET)));
  say(
    row('payments made', most(baseline, 'payments'), most(service, 'payments'), atMost(most(service, 'payments'), 1)),
  );
};
