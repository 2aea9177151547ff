import { randomUUID } from 'node:crypto';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import type { Candidates } from './builds.ts';
import { addDelay, recordDurations } from './meter.ts';
import { expectCreated, type PaymentClient } from './payments.ts';
import { type Progress, type SamplesOf, sampleAlternately } from './samples.ts';

/** Powertools with the service's client, Powertools with its own client, the service without events, the service. */
const COMPARED = ['baseline', 'documented', 'withoutEvents', 'service'] as const;
type ComparedName = (typeof COMPARED)[number];

export interface CallCounts {
  readonly calls: number;
  /** Calls before those that are measured. */
  readonly warmUp: number;
}

export interface Latency {
  /** Milliseconds added to each round trip. */
  readonly delay: number;
  /** Microseconds of first calls, from the gateway's event to the response. */
  readonly samples: SamplesOf<ComparedName>;
  /** Microseconds of their calls to DynamoDB, by command. */
  readonly calls: Readonly<Record<ComparedName, ReadonlyMap<string, readonly number[]>>>;
}

/** None, and what a round trip to DynamoDB context a region may take. */
const DELAYS_MS = [0, 5, 10];

/** Measures first calls of all candidates alternately, each with a new invoice. */
export const measureLatencies = async (
  api: PaymentClient,
  candidates: Candidates,
  { calls, warmUp }: CallCounts,
  progress: (task: string) => Progress,
): Promise<Latency[]> => {
  const measured: Latency[] = [];
  for (const milliseconds of DELAYS_MS) {
    const clients = each((name) => candidates[name].client());
    if (milliseconds > 0) for (const name of COMPARED) addDelay(clients[name], milliseconds);
    const durations = each((name) => recordDurations(clients[name]));
    const sample = createSample(
      api,
      each((name) => candidates[name].handler(clients[name])),
    );
    // V8 compiles during the first delay; for the others only the connections are new.
    await sampleAlternately(COMPARED, milliseconds === 0 ? warmUp : warmUp / 10, sample, () => {});
    for (const name of COMPARED) durations[name].clear();
    const task = progress(`First calls, ${milliseconds} ms added`);
    measured.push({
      delay: milliseconds,
      samples: await sampleAlternately(COMPARED, calls, sample, task),
      calls: durations,
    });
    for (const name of COMPARED) clients[name].destroy();
  }
  return measured;
};

const each = <T>(make: (name: ComparedName) => T): Record<ComparedName, T> =>
  Object.fromEntries(COMPARED.map((name) => [name, make(name)])) as Record<ComparedName, T>;

const createSample =
  (api: PaymentClient, handlers: Readonly<Record<ComparedName, LambdaHandler>>) =>
  async (name: ComparedName): Promise<number> => {
    const request = api.paymentRequest({ invoice: await api.createInvoice(), key: randomUUID() });
    const before = performance.now();
    const response = await request(handlers[name]);
    const microseconds = (performance.now() - before) * 1000;
    expectCreated(response);
    return microseconds;
  };
