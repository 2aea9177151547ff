import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { type Candidates, createCandidates } from './builds.ts';
import type { BenchEnvironment } from './environment.ts';
import { type CallCounts, type Latency, measureLatencies } from './latency.ts';
import { trackUsage, type Usage } from './meter.ts';
import { createPaymentClient, expectCreated, type PaymentClient, type PaymentRequest } from './payments.ts';
import { createPowertoolsTable } from './powertools.ts';
import { type Progress, SUBJECTS } from './samples.ts';

/** The baseline is Powertools with the service's client. */
export type Side = (typeof SUBJECTS)[number];

export interface RequestUsage {
  readonly request: string;
  readonly usage: Readonly<Record<Side, Usage>>;
}

/** The outcome of concurrent requests with one key. */
export interface Duplicates {
  readonly errors: number;
  readonly payments: number;
}

export interface Comparison {
  readonly usages: readonly RequestUsage[];
  readonly latencies: readonly Latency[];
  readonly duplicates: Readonly<Record<Side, readonly Duplicates[]>>;
}

interface ComparisonCounts extends CallCounts {
  /** Keys that concurrent requests share. */
  readonly keys: number;
}

export const DUPLICATES = 64;

/** Compares POST /v1/payments with the service's idempotency and with Powertools', on one engine. */
export const compareMechanisms = async (
  { call, directory }: BenchEnvironment,
  { keys, ...counts }: ComparisonCounts,
  progress: (task: string) => Progress,
): Promise<Comparison> => {
  const candidates = await createCandidates(directory);
  const clients: DynamoDBDocumentClient[] = [];
  const track = (client: DynamoDBDocumentClient): DynamoDBDocumentClient => {
    clients.push(client);
    return client;
  };
  const open: Open = (side) => track(candidates[side].client());
  try {
    const client = track(createDynamoClient());
    await createPowertoolsTable(client);
    const api = createPaymentClient(call, client);
    const context = { api, candidates, open };
    return {
      usages: await measureUsages(context),
      latencies: await measureLatencies(api, candidates, counts, progress),
      duplicates: await sendDuplicates(context, keys),
    };
  } finally {
    for (const client of clients) client.destroy();
  }
};

type Open = (side: Side) => DynamoDBDocumentClient;

interface ComparisonContext {
  readonly api: PaymentClient;
  readonly candidates: Candidates;
  readonly open: Open;
}

/** Measures write units and round trips of first calls and of their replays. */
const measureUsages = async (context: ComparisonContext): Promise<RequestUsage[]> => {
  const measured = await Promise.all(SUBJECTS.map(async (side) => [side, await usagesBySide(context, side)] as const));
  const { baseline, service } = Object.fromEntries(measured) as Record<Side, Record<string, Usage>>;
  return Object.keys(baseline).map((request) => ({
    request,
    usage: { baseline: baseline[request] as Usage, service: service[request] as Usage },
  }));
};

/** Measures replays in two instances, because Powertools caches the keys that an instance has seen. */
const usagesBySide = async (
  { api, candidates, open }: ComparisonContext,
  side: Side,
): Promise<Record<string, Usage>> => {
  const client = open(side);
  const [same, other] = [candidates[side].handler(client), candidates[side].handler(client)];
  const read = trackUsage(client);
  const usageOf = async (handler: LambdaHandler, sent: PaymentRequest): Promise<Usage> => {
    read();
    expectCreated(await api.paymentRequest(sent)(handler));
    return read();
  };
  const partial = { invoice: await api.createInvoice(), key: randomUUID() };
  const full = { invoice: await api.createInvoice(), key: randomUUID(), isFull: true };
  return {
    'first, partial': await usageOf(same, partial),
    'first, full': await usageOf(same, full),
    'replay, partial': await usageOf(other, partial),
    'replay, full': await usageOf(other, full),
    'replay, same instance': await usageOf(same, partial),
  };
};

const sendDuplicates = async (context: ComparisonContext, keys: number): Promise<Comparison['duplicates']> => {
  const results = { baseline: [] as Duplicates[], service: [] as Duplicates[] };
  const instances = await Promise.all(SUBJECTS.map((side) => warmInstances(context, side)));
  for (let i = 0; i < keys; i++) {
    for (const [at, side] of SUBJECTS.entries())
      results[side].push(await duplicatesOf(context.api, instances[at] ?? []));
  }
  return results;
};

/** Creates an instance for each duplicate: Lambda runs one request at a time in an instance. */
const warmInstances = async ({ api, candidates, open }: ComparisonContext, side: Side): Promise<LambdaHandler[]> => {
  const instances = Array.from({ length: DUPLICATES }, () => candidates[side].handler(open(side)));
  for (const instance of instances) await api.invalidRequest()(instance);
  return instances;
};

const duplicatesOf = async (api: PaymentClient, instances: readonly LambdaHandler[]): Promise<Duplicates> => {
  const sent = { invoice: await api.createInvoice(), key: randomUUID() };
  const results = await Promise.allSettled(instances.map((instance) => api.paymentRequest(sent)(instance)));
  const isError = (result: (typeof results)[number]) => result.status === 'rejected' || result.value.statusCode !== 201;
  return { errors: results.filter(isError).length, payments: await api.countPayments(sent.invoice) };
};
