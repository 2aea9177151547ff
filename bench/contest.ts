import { readFileSync } from 'node:fs';
import { type Comparison, compare, TWINS, type Twins, type Used } from './idempotency.ts';
import type { Latency } from './latency.ts';
import type { Usage } from './meter.ts';
import { atMost, type Paper } from './paper.ts';
import { median, ratios } from './samples.ts';
import type { Stage } from './stage.ts';

const MOST_TRIPS = 2;
const MOST_UNITS = 6;
const RATIO_TARGET = 0.5;
const ERRORS_TARGET = 0;

/** Measures our idempotency against Powertools', and says what came of it; nothing is asserted. */
export const contest = async (stage: Stage, quick: boolean, paper: Paper): Promise<void> => {
  const extent = quick ? { calls: 30, warmUp: 100, keys: 2 } : { calls: 200, warmUp: 500, keys: 5 };
  const { used, latencies, twins } = await compare(stage, extent, paper.progress);
  paper.say(`\nPOST /v1/payments under an Idempotency-Key, by Powertools ${version()} and by the service`);
  sayUsed(used, paper);
  for (const latency of latencies) sayLatency(latency, paper);
  sayParts(latencies[0] as Latency, paper);
  sayTwins(twins, paper);
};

/** Of the development dependency, which is pinned. */
const version = (): string => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return devDependencies['@aws-lambda-powertools/idempotency'];
};

const sayUsed = (used: readonly Used[], { say, row }: Paper): void => {
  say(row('\nround trips', 'powertools', 'service'));
  for (const { request, usage } of used) {
    const { floor, service } = usage;
    say(row(request, floor.trips.length, service.trips.length, atMost(service.trips.length, MOST_TRIPS)));
  }
  say(row('\nwrite units', 'powertools', 'service', '  + those of indexes; or the items refused by a condition'));
  for (const { request, usage } of used) {
    const isFirst = request.startsWith('first');
    const target = isFirst ? [`${atMost(usage.service.units, MOST_UNITS)}, indexes aside`] : [];
    say(row(request, units(usage.floor), units(usage.service), ...target));
  }
};

const units = ({ units, indexUnits, refused }: Usage): string =>
  refused > 0 ? `${refused} refused` : `${units} + ${indexUnits}`;

const inMilliseconds = (microseconds: number): string => `${(microseconds / 1000).toFixed(2)} ms`;

const PEERS = { floor: 'powertools', documented: 'powertools, own SDK' } as const;

const sayLatency = ({ delay, samples }: Latency, { say, row }: Paper): void => {
  const added = delay === 0 ? 'on the loopback as it is' : `with a simulated delay of ${delay} ms for each round trip`;
  say(`\nTime of a first call ${added}, ${samples.service.length} samples each`);
  say(row('', 'median', 'service by it', 'pairs'));
  for (const [rival, name] of Object.entries(PEERS)) {
    const floor = samples[rival as keyof typeof PEERS];
    const { medians, pairs } = ratios({ floor, service: samples.service });
    say(row(name, inMilliseconds(median(floor)), medians.toFixed(2), pairs.toFixed(2), atMost(medians, RATIO_TARGET)));
  }
  say(row('service', inMilliseconds(median(samples.service))));
};

const COMMANDS = ['GetItem', 'PutItem', 'UpdateItem', 'TransactWriteItems'];

/** Which part of a first call takes how long: what two round trips of four can come to, and what they cannot. */
const sayParts = ({ samples, calls }: Latency, { say, row }: Paper): void => {
  say('\nOf that, without a delay, medians');
  say(row('', ...COMMANDS.map((command) => command.replace('Items', '')), 'all else'));
  for (const [rival, name] of Object.entries({ ...PEERS, service: 'service' })) {
    const of = calls[rival as keyof typeof calls];
    const parts = COMMANDS.map((command) => median(of.get(command) ?? [0]));
    const rest = median(samples[rival as keyof typeof samples]) - parts.reduce((sum, part) => sum + part, 0);
    say(row(name, ...[...parts, rest].map((part) => (part === 0 ? '–' : inMilliseconds(part)))));
  }
};

const most = (twins: readonly Twins[], of: keyof Twins): number => Math.max(...twins.map((one) => one[of]));

const sayTwins = ({ floor, service }: Comparison['twins'], { say, row }: Paper): void => {
  say(`\n${TWINS} concurrent requests under one key, the most of ${service.length} keys`);
  say(row('', 'powertools', 'service'));
  const errors = most(service, 'errors');
  say(row('errors', most(floor, 'errors'), errors, atMost(errors, ERRORS_TARGET)));
  say(row('payments made', most(floor, 'payments'), most(service, 'payments'), atMost(most(service, 'payments'), 1)));
};
