import { randomUUID } from 'node:crypto';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import type { Candidates } from './builds.ts';
import { delay, stopwatch } from './meter.ts';
import { type Payments, succeeded } from './payments.ts';
import { interleaved, type Progress, type Sampled } from './samples.ts';

/** Powertools on our client and on its own, and the service. */
export const COMPARED = ['baseline', 'documented', 'service'] as const;
export type ComparedName = (typeof COMPARED)[number];

/** How many first calls of each are measured, and how many are made before. */
export interface Extent {
  readonly calls: number;
  readonly warmUp: number;
}

export interface Latency {
  /** Milliseconds that each round trip was made longer by. */
  readonly delay: number;
  /** Microseconds of one first call, from the gateway's event to the answer. */
  readonly samples: Sampled<ComparedName>;
  /** Microseconds of its calls to DynamoDB, by command; what is left of the whole is the pipeline's own. */
  readonly calls: Readonly<Record<ComparedName, ReadonlyMap<string, readonly number[]>>>;
}

/** None, and what a round trip to DynamoDB within a region may take. */
const DELAYS_MS = [0, 5, 10];

/** The time of first calls, each of an invoice of its own, by turns. */
export const latencies = async (
  api: Payments,
  contestants: Candidates,
  { calls, warmUp }: Extent,
  progress: (task: string) => Progress,
): Promise<Latency[]> => {
  const measured: Latency[] = [];
  for (const milliseconds of DELAYS_MS) {
    const clients = each((rival) => contestants[rival].client());
    if (milliseconds > 0) for (const rival of COMPARED) delay(clients[rival], milliseconds);
    const watches = each((rival) => stopwatch(clients[rival]));
    const sample = timed(
      api,
      each((rival) => contestants[rival].handler(clients[rival])),
    );
    // By the first delay V8 has compiled what it will, after that only connections are new.
    await interleaved(COMPARED, milliseconds === 0 ? warmUp : warmUp / 10, sample, () => {});
    for (const rival of COMPARED) watches[rival].clear();
    const task = progress(`First calls, ${milliseconds} ms added`);
    measured.push({ delay: milliseconds, samples: await interleaved(COMPARED, calls, sample, task), calls: watches });
    for (const rival of COMPARED) clients[rival].destroy();
  }
  return measured;
};

const each = <T>(make: (rival: ComparedName) => T): Record<ComparedName, T> =>
  Object.fromEntries(COMPARED.map((rival) => [rival, make(rival)])) as Record<ComparedName, T>;

const timed =
  (api: Payments, handlers: Readonly<Record<ComparedName, LambdaHandler>>) =>
  async (rival: ComparedName): Promise<number> => {
    const request = api.payment({ invoice: await api.invoice(), key: randomUUID() });
    const before = performance.now();
    const answer = await request(handlers[rival]);
    const microseconds = (performance.now() - before) * 1000;
    succeeded(answer);
    return microseconds;
  };
