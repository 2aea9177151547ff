import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { LambdaHandler } from '#shared/http/serve.ts';
import type { Contestants } from './builds.ts';
import { delay } from './meter.ts';
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
    const clients: DynamoDBDocumentClient[] = [];
    const made = RIVALS.map((rival) => {
      const client = contestants[rival].client();
      clients.push(client);
      if (milliseconds > 0) delay(client, milliseconds);
      return [rival, contestants[rival].handler(client)] as const;
    });
    const sample = timed(api, Object.fromEntries(made) as Record<Rival, LambdaHandler>);
    // By the first delay V8 has compiled what it will, after that only connections are new.
    await interleaved(RIVALS, milliseconds === 0 ? warmUp : warmUp / 10, sample, () => {});
    const task = progress(`First calls, ${milliseconds} ms added`);
    measured.push({ delay: milliseconds, samples: await interleaved(RIVALS, calls, sample, task) });
    for (const client of clients) client.destroy();
  }
  return measured;
};

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
