import { randomUUID } from 'node:crypto';
import type { Candidates } from '#bench/measure/builds.ts';
import { addDelay, dropEvents } from '#bench/measure/meter.ts';
import { expectCreated } from '#bench/measure/requests.ts';
import { type Progress, type Samples, SUBJECTS, type SubjectName, sampleAlternately } from '#bench/measure/samples.ts';
import type { PaymentClient } from './payments.ts';

export interface CallCounts {
  readonly calls: number;
  /** Calls before those that are measured. */
  readonly warmUp: number;
}

export interface Latency {
  /** Milliseconds added to each round trip. */
  readonly delay: number;
  /** Microseconds of first calls, from the gateway's event to the response. */
  readonly samples: Samples;
}

/** Without a delay, and with typical round trips to DynamoDB within a region. */
export const DELAYS_MS = [0, 5, 10];

interface LatencyOptions extends CallCounts {
  /** The baseline is the service that adds no event to its transaction, instead of Powertools. */
  readonly isWithoutEvent?: boolean;
}

/** Measures first calls of both candidates alternately, each with a new invoice. */
export const measureLatencies = async (
  api: PaymentClient,
  { createDynamoClient, createHandler }: Candidates,
  { calls, warmUp, isWithoutEvent = false }: LatencyOptions,
  progress: (task: string) => Progress,
): Promise<Latency[]> => {
  const measured: Latency[] = [];
  for (const delay of DELAYS_MS) {
    const clients = { baseline: createDynamoClient(), service: createDynamoClient() };
    if (isWithoutEvent) dropEvents(clients.baseline);
    if (delay > 0) for (const name of SUBJECTS) addDelay(clients[name], delay);
    const handlers = {
      baseline: createHandler[isWithoutEvent ? 'service' : 'baseline'](clients.baseline),
      service: createHandler.service(clients.service),
    };
    const sample = async (name: SubjectName): Promise<number> => {
      const request = api.paymentRequest({ invoice: await api.createInvoice(), key: randomUUID() });
      const before = performance.now();
      const response = await request(handlers[name]);
      const microseconds = (performance.now() - before) * 1000;
      expectCreated(response);
      return microseconds;
    };
    // V8 compiles during the first delay. The later ones only open new connections.
    await sampleAlternately(delay === 0 ? warmUp : warmUp / 10, sample, () => {});
    const samples = await sampleAlternately(calls, sample, progress(`First calls, ${delay} ms added`));
    measured.push({ delay, samples });
    for (const name of SUBJECTS) clients[name].destroy();
  }
  return measured;
};
