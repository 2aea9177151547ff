import { readFileSync } from 'node:fs';
import type { BenchEnvironment } from '#bench/measure/environment.ts';
import type { Usage } from '#bench/measure/meter.ts';
import { atMost, type Report } from '#bench/measure/report.ts';
import { median, ratios, SUBJECTS } from '#bench/measure/samples.ts';
import { type Comparison, compareMechanisms, DUPLICATES, type Duplicates, type RequestUsage } from './idempotency.ts';
import type { Latency } from './latency.ts';

const MAX_ROUND_TRIPS = 2;
const MAX_WRITE_UNITS = 8;
const RATIO_TARGET = 0.5;
const EVENT_TARGET = 1.1;
const ERRORS_TARGET = 0;

/** Compares the service's idempotency with Powertools', and prints the figures. It asserts nothing. */
export const compareIdempotency = async (
  environment: BenchEnvironment,
  quick: boolean,
  report: Report,
): Promise<void> => {
  const counts = quick ? { calls: 30, warmUp: 100, keys: 2 } : { calls: 200, warmUp: 500, keys: 5 };
  const { usages, latencies, eventLatencies, duplicates } = await compareMechanisms(
    environment,
    counts,
    report.progress,
  );
  report.print(`\nPOST /v1/payments with an Idempotency-Key, by Powertools ${version()} and by the service`);
  reportUsage(usages, report);
  for (const latency of latencies) reportLatency(latency, 'powertools', RATIO_TARGET, report);
  for (const latency of eventLatencies) reportLatency(latency, 'without event', EVENT_TARGET, report);
  reportDuplicates(duplicates, report);
};

const version = (): string => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return devDependencies['@aws-lambda-powertools/idempotency'];
};

const reportUsage = (usages: readonly RequestUsage[], { print, row }: Report): void => {
  print(row('\nround trips', 'powertools', 'service'));
  for (const { request, usage } of usages) {
    const [baseline, service] = [usage.baseline.roundTrips.length, usage.service.roundTrips.length];
    print(row(request, baseline, service, atMost(service, MAX_ROUND_TRIPS)));
  }
  print(row('\nwrite units', 'powertools', 'service', '  + those of indexes; or items that a condition rejects'));
  for (const { request, usage } of usages) {
    const isFirst = request.startsWith('first');
    const target = isFirst ? [`${atMost(usage.service.writeUnits, MAX_WRITE_UNITS)}, without indexes`] : [];
    print(row(request, units(usage.baseline), units(usage.service), ...target));
  }
};

const units = ({ writeUnits, indexWriteUnits, rejectedItems }: Usage): string =>
  rejectedItems > 0 ? `${rejectedItems} rejected` : `${writeUnits} + ${indexWriteUnits}`;

const reportLatency = ({ delay, samples }: Latency, baseline: string, target: number, { print, row }: Report): void => {
  const added = delay === 0 ? 'without a delay' : `with a simulated delay of ${delay} ms for each round trip`;
  print(`\nTime of a first call ${added}, ${samples.service.length} samples each`);
  print(row('', baseline, 'service', 'ratio', 'pairs'));
  const { medians, pairs } = ratios(samples);
  const cells = SUBJECTS.map((name) => `${(median(samples[name]) / 1000).toFixed(2)} ms`);
  print(row('median', ...cells, medians.toFixed(2), pairs.toFixed(2), atMost(medians, target)));
};

const reportDuplicates = ({ baseline, service }: Comparison['duplicates'], { print, row }: Report): void => {
  print(`\n${DUPLICATES} concurrent requests with one key, the maximum of ${service.length} keys`);
  print(row('', 'powertools', 'service'));
  const errors = max(service, 'errors');
  print(row('errors', max(baseline, 'errors'), errors, atMost(errors, ERRORS_TARGET)));
  const payments = max(service, 'payments');
  print(row('payments created', max(baseline, 'payments'), payments, atMost(payments, 1)));
};

const max = (duplicates: readonly Duplicates[], member: keyof Duplicates): number =>
  Math.max(...duplicates.map((one) => one[member]));
