import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import createPayment from '#functions/payments/create.ts';
import { dynamo } from '#shared/data/client.ts';
import type { GatewayResult } from '#shared/http/exchange.ts';
import type { LambdaHandler } from '#shared/http/serve.ts';
import { lambda } from '#shared/runtime.ts';
import { delay, meter, type Usage } from './meter.ts';
import { type Payments, payments, type Sent } from './payments.ts';
import { createPeerTable, peer } from './peer.ts';
import { interleaved, type Progress, type Samples, SUBJECTS } from './samples.ts';
import type { Call } from './subject.ts';

/** Ours is the service; the floor of this part is Powertools. */
export type Side = (typeof SUBJECTS)[number];

/** What one kind of request used, by side. */
export interface Used {
  readonly request: string;
  readonly usage: Readonly<Record<Side, Usage>>;
}

/** What became of concurrent requests under one key. */
export interface Twins {
  readonly errors: number;
  readonly payments: number;
}

/** What was measured of both sides. */
export interface Comparison {
  readonly used: readonly Used[];
  /** Microseconds of one first call, by the milliseconds that each round trip was made longer by. */
  readonly latencies: readonly { readonly delay: number; readonly samples: Samples }[];
  readonly twins: Readonly<Record<Side, readonly Twins[]>>;
}

/** How much is measured. */
export interface Extent {
  /** First calls of each side, for each delay. */
  readonly calls: number;
  readonly warmUp: number;
  /** Keys that have twins. */
  readonly keys: number;
}

export const TWINS = 64;
/** None, and what a round trip to DynamoDB within a region may take. */
const DELAYS_MS = [0, 5];

const HANDLERS: Readonly<Record<Side, (client: DynamoDBDocumentClient) => LambdaHandler>> = {
  floor: (client) => peer(client, process.env),
  service: (client) => lambda(createPayment, process.env, client),
};

/** Compares POST /v1/payments under our idempotency and under Powertools', on the engine of a stage. */
export const compare = async (
  call: Call,
  { calls, warmUp, keys }: Extent,
  progress: (task: string) => Progress,
): Promise<Comparison> => {
  const clients: DynamoDBDocumentClient[] = [];
  const open = (): DynamoDBDocumentClient => {
    const client = dynamo();
    clients.push(client);
    return client;
  };
  try {
    const client = open();
    await createPeerTable(client);
    const api = payments(call, client);
    const used = await usedBy(api, open);
    const latencies = [];
    for (const milliseconds of DELAYS_MS) {
      const task = progress(`First calls, ${milliseconds} ms added`);
      const samples = await firstCalls(api, open, { milliseconds, calls, warmUp }, task);
      latencies.push({ delay: milliseconds, samples });
    }
    const twins = { floor: [] as Twins[], service: [] as Twins[] };
    const instances = await Promise.all(SUBJECTS.map((side) => warmed(api, side, open)));
    for (let i = 0; i < keys; i++) {
      for (const [at, side] of SUBJECTS.entries()) twins[side].push(await twinsOf(api, instances[at] ?? []));
    }
    return { used, latencies, twins };
  } finally {
    for (const client of clients) client.destroy();
  }
};

type Open = () => DynamoDBDocumentClient;

/** Units and round trips of first calls and of their replays. */
const usedBy = async (api: Payments, open: Open): Promise<Used[]> => {
  const measured = await Promise.all(SUBJECTS.map(async (side) => [side, await usagesOf(api, side, open)] as const));
  const { floor, service } = Object.fromEntries(measured) as Record<Side, Record<string, Usage>>;
  return Object.keys(floor).map((request) => ({
    request,
    usage: { floor: floor[request] as Usage, service: service[request] as Usage },
  }));
};

/** An instance that has answered a key before may know it; another one does not. */
const usagesOf = async (api: Payments, side: Side, open: Open): Promise<Record<string, Usage>> => {
  const client = open();
  const [same, other] = [HANDLERS[side](client), HANDLERS[side](client)];
  const read = meter(client);
  const used = async (handler: LambdaHandler, sent: Sent): Promise<Usage> => {
    read();
    succeeded(await api.pay(handler, sent));
    return read();
  };
  const part = { invoice: await api.invoice(), key: randomUUID() };
  const whole = { invoice: await api.invoice(), key: randomUUID(), whole: true };
  return {
    'first, of a part': await used(same, part),
    'first, of all due': await used(same, whole),
    'replay, of a part': await used(other, part),
    'replay, of all due': await used(other, whole),
    'replay, same instance': await used(same, part),
  };
};

const succeeded = ({ statusCode, body }: GatewayResult): void => {
  if (statusCode !== 201) throw new Error(`No payment can be made: ${body}`);
};

/** The time of first calls, each of an invoice of its own, by turns. */
const firstCalls = async (
  api: Payments,
  open: Open,
  { milliseconds, calls, warmUp }: { milliseconds: number; calls: number; warmUp: number },
  progress: Progress,
): Promise<Samples> => {
  const made = SUBJECTS.map((side) => {
    const client = open();
    if (milliseconds > 0) delay(client, milliseconds);
    return [side, HANDLERS[side](client)] as const;
  });
  const handlers = Object.fromEntries(made) as Record<Side, LambdaHandler>;
  const sample = async (side: Side): Promise<number> => {
    const sent = { invoice: await api.invoice(), key: randomUUID() };
    const before = performance.now();
    const answer = await api.pay(handlers[side], sent);
    const microseconds = (performance.now() - before) * 1000;
    succeeded(answer);
    return microseconds;
  };
  await interleaved(warmUp, sample, () => {});
  return interleaved(calls, sample, progress);
};

/** As many instances as there are twins, for Lambda gives each concurrent request one of its own. */
const warmed = async (api: Payments, side: Side, open: Open): Promise<LambdaHandler[]> => {
  const instances = Array.from({ length: TWINS }, () => HANDLERS[side](open()));
  for (const instance of instances) await api.warm(instance);
  return instances;
};

const twinsOf = async (api: Payments, instances: readonly LambdaHandler[]): Promise<Twins> => {
  const sent = { invoice: await api.invoice(), key: randomUUID() };
  const answers = await Promise.allSettled(instances.map((instance) => api.pay(instance, sent)));
  const isError = (answer: (typeof answers)[number]) => answer.status === 'rejected' || answer.value.statusCode !== 201;
  return { errors: answers.filter(isError).length, payments: await api.count(sent.invoice) };
};
