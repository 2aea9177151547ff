import { randomUUID } from 'node:crypto';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import type { Contestants } from './builds.ts';
import { delay, stopwatch } from './meter.ts';
import { type Payments, succeeded } from './payments.ts';
import { interleaved, type Progress, type Sampled } from './samples.ts';

/** Powertools on our client and on its own, and the service. */
export const RIVALS = ['floor', 'documented', 'service'] as const;
export type Rival = (typeof RIVALS)[number];

/** How many first calls of each are measured, and how many are made before. */
export interface Extent {
  readonly calls: number;
  readonly warmUp: number;
}

export interface Latency {
  /** Milliseconds that each round trip was made longer by. */
  readonly delay: number;
  /** Microseconds of one first call, from the gateway's event to the answer. */
  readonly samples: Sampled<Rival>;
  /** Microseconds of its calls to DynamoDB, by command; what is left of the whole is the pipeline's own. */
  readonly calls: Readonly<Record<Rival, ReadonlyMap<string, readonly number[]>>>;
}

/** None, and what a round trip to DynamoDB within a region may take. */
const DELAYS_MS = [0, 5, 10];

/** The time of first calls, each of an invoice of its own, by turns. */
export const latencies = async (
  api: Payments,
  contestants: Contestants,
  { calls, warmUp }: Extent,
  progress: (task: string) => Progress,
): Promise<Latency[]> => {
  const measured: Latency[] = [];
  for (const milliseconds of DELAYS_MS) {
    const clients = each((rival) => contestants[rival].client());
    if (milliseconds > 0) for (const rival of RIVALS) delay(clients[rival], milliseconds);
    const watches = each((rival) => stopwatch(clients[rival]));
    const sample = timed(
      api,
      each((rival) => contestants[rival].handler(clients[rival])),
    );
    // By the first delay V8 has compiled what it will, after that only connections are new.
    await interleaved(RIVALS, milliseconds === 0 ? warmUp : warmUp / 10, sample, () => {});
    for (const rival of RIVALS) watches[rival].clear();
    const task = progress(`First calls, ${milliseconds} ms added`);
    measured.push({ delay: milliseconds, samples: await interleaved(RIVALS, calls, sample, task), calls: watches });
    for (const rival of RIVALS) clients[rival].destroy();
  }
  return measured;
};

const each = <T>(make: (rival: Rival) => T): Record<Rival, T> =>
  Object.fromEntries(RIVALS.map((rival) => [rival, make(rival)])) as Record<Rival, T>;

const timed =
  (api: Payments, handlers: Readonly<Record<Rival, LambdaHandler>>) =>
  async (rival: Rival): Promise<number> => {
    const request = api.payment({ invoice: await api.invoice(), key: randomUUID() });
    const before = performance.now();
    const answer = await request(handlers[rival]);
    const microseconds = (performance.now() - before) * 1000;
    succeeded(answer);
    return microseconds;
  };
