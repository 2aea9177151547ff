import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient } from '#shared/platform/data/client.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { type Candidates, makeCandidates } from './builds.ts';
import type { BenchEnvironment } from './environment.ts';
import { type Extent as Calls, type Latency, latencies } from './latency.ts';
import { meter, type Usage } from './meter.ts';
import { type Payments, payments, type Sent, succeeded } from './payments.ts';
import { createPeerTable } from './peer.ts';
import { type Progress, SUBJECTS } from './samples.ts';

/** Ours is the service; the baseline of this part is Powertools on the same client. */
export type Side = (typeof SUBJECTS)[number];

/** What one kind of request used, by side. */
export interface Used {
  readonly request: string;
  readonly usage: Readonly<Record<Side, Usage>>;
}

/** What became of concurrent requests under one key. */
export interface Duplicates {
  readonly errors: number;
  readonly payments: number;
}

/** What was measured of both sides. */
export interface Comparison {
  readonly used: readonly Used[];
  readonly latencies: readonly Latency[];
  readonly duplicates: Readonly<Record<Side, readonly Duplicates[]>>;
}

/** How much is measured. */
export interface Extent extends Calls {
  /** Keys that are sent by several requests at once. */
  readonly keys: number;
}

export const DUPLICATES = 64;

/** Compares POST /v1/payments under our idempotency and under Powertools', on the engine of a stage. */
export const compare = async (
  { call, directory }: BenchEnvironment,
  { keys, ...extent }: Extent,
  progress: (task: string) => Progress,
): Promise<Comparison> => {
  const contestants = await makeCandidates(directory);
  const clients: DynamoDBDocumentClient[] = [];
  const kept = (client: DynamoDBDocumentClient): DynamoDBDocumentClient => {
    clients.push(client);
    return client;
  };
  const open: Open = (side) => kept(contestants[side].client());
  try {
    const client = kept(createDynamoClient());
    await createPeerTable(client);
    const api = payments(call, client);
    const within = { api, contestants, open };
    return {
      used: await usedBy(within),
      latencies: await latencies(api, contestants, extent, progress),
      duplicates: await sendDuplicates(within, keys),
    };
  } finally {
    for (const client of clients) client.destroy();
  }
};

type Open = (side: Side) => DynamoDBDocumentClient;

/** What the parts of a comparison share. */
interface Within {
  readonly api: Payments;
  readonly contestants: Candidates;
  readonly open: Open;
}

/** Units and round trips of first calls and of their replays. */
const usedBy = async (within: Within): Promise<Used[]> => {
  const measured = await Promise.all(SUBJECTS.map(async (side) => [side, await usagesOf(within, side)] as const));
  const { baseline, service } = Object.fromEntries(measured) as Record<Side, Record<string, Usage>>;
  return Object.keys(baseline).map((request) => ({
    request,
    usage: { baseline: baseline[request] as Usage, service: service[request] as Usage },
  }));
};

/** An instance that has answered a key before may know it; another one does not. */
const usagesOf = async ({ api, contestants, open }: Within, side: Side): Promise<Record<string, Usage>> => {
  const client = open(side);
  const [same, other] = [contestants[side].handler(client), contestants[side].handler(client)];
  const read = meter(client);
  const used = async (handler: LambdaHandler, sent: Sent): Promise<Usage> => {
    read();
    succeeded(await api.payment(sent)(handler));
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

const sendDuplicates = async (within: Within, keys: number): Promise<Comparison['duplicates']> => {
  const made = { baseline: [] as Duplicates[], service: [] as Duplicates[] };
  const instances = await Promise.all(SUBJECTS.map((side) => warmed(within, side)));
  for (let i = 0; i < keys; i++) {
    for (const [at, side] of SUBJECTS.entries()) made[side].push(await duplicatesOf(within.api, instances[at] ?? []));
  }
  return made;
};

/** As many instances as there are duplicates, for Lambda gives each concurrent request one of its own. */
const warmed = async ({ api, contestants, open }: Within, side: Side): Promise<LambdaHandler[]> => {
  const instances = Array.from({ length: DUPLICATES }, () => contestants[side].handler(open(side)));
  for (const instance of instances) await api.refused()(instance);
  return instances;
};

const duplicatesOf = async (api: Payments, instances: readonly LambdaHandler[]): Promise<Duplicates> => {
  const sent = { invoice: await api.invoice(), key: randomUUID() };
  const answers = await Promise.allSettled(instances.map((instance) => api.payment(sent)(instance)));
  const isError = (answer: (typeof answers)[number]) => answer.status === 'rejected' || answer.value.statusCode !== 201;
  return { errors: answers.filter(isError).length, payments: await api.count(sent.invoice) };
};
