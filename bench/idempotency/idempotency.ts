import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { buildCandidates, type Candidates } from '#bench/measure/builds.ts';
import type { BenchEnvironment } from '#bench/measure/environment.ts';
import { trackUsage, type Usage } from '#bench/measure/meter.ts';
import { expectCreated } from '#bench/measure/requests.ts';
import { type Progress, SUBJECTS, type SubjectName } from '#bench/measure/samples.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { type CallCounts, type Latency, measureLatencies } from './latency.ts';
import { createPaymentClient, type PaymentClient, type PaymentRequest } from './payments.ts';
import { createPowertoolsTable } from './powertools.ts';

export interface RequestUsage {
  readonly request: string;
  readonly usage: Readonly<Record<SubjectName, Usage>>;
}

/** The outcome of concurrent requests with one key. */
export interface Duplicates {
  readonly errors: number;
  readonly payments: number;
}

export interface Comparison {
  readonly usages: readonly RequestUsage[];
  readonly latencies: readonly Latency[];
  /** The baseline is the service without the event of the payment. */
  readonly eventLatencies: readonly Latency[];
  readonly duplicates: Readonly<Record<SubjectName, readonly Duplicates[]>>;
}

interface ComparisonCounts extends CallCounts {
  /** Keys that concurrent requests share. */
  readonly keys: number;
}

export const DUPLICATES = 64;

/** Compares POST /v1/payments with the service's idempotency and with Powertools', on one engine. */
export const compareMechanisms = async (
  { token, directory }: BenchEnvironment,
  { keys, ...counts }: ComparisonCounts,
  progress: (task: string) => Progress,
): Promise<Comparison> => {
  const candidates = await buildCandidates(directory);
  const clients: DynamoDBDocumentClient[] = [];
  const open = (): DynamoDBDocumentClient => {
    const client = candidates.createDynamoClient();
    clients.push(client);
    return client;
  };
  try {
    const client = open();
    await createPowertoolsTable(client);
    const api = createPaymentClient(token, client);
    const context = { api, candidates, open };
    return {
      usages: await measureUsages(context),
      latencies: await measureLatencies(api, candidates, counts, progress),
      eventLatencies: await measureLatencies(api, candidates, { ...counts, isWithoutEvent: true }, progress),
      duplicates: await sendDuplicates(context, keys),
    };
  } finally {
    for (const client of clients) client.destroy();
  }
};

interface ComparisonContext {
  readonly api: PaymentClient;
  readonly candidates: Candidates;
  open(): DynamoDBDocumentClient;
}

/** Measures write units and round trips of first calls and of their replays. */
const measureUsages = async (context: ComparisonContext): Promise<RequestUsage[]> => {
  const measured = await Promise.all(SUBJECTS.map(async (side) => [side, await usagesBySide(context, side)] as const));
  const { baseline, service } = Object.fromEntries(measured) as Record<SubjectName, Record<string, Usage>>;
  return Object.keys(baseline).map((request) => ({
    request,
    usage: { baseline: baseline[request] as Usage, service: service[request] as Usage },
  }));
};

/** Measures replays in two instances, because Powertools caches the keys that an instance has seen. */
const usagesBySide = async (
  { api, candidates, open }: ComparisonContext,
  side: SubjectName,
): Promise<Record<string, Usage>> => {
  const client = open();
  const [same, other] = [candidates.createHandler[side](client), candidates.createHandler[side](client)];
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
const warmInstances = async (
  { api, candidates, open }: ComparisonContext,
  side: SubjectName,
): Promise<LambdaHandler[]> => {
  const instances = Array.from({ length: DUPLICATES }, () => candidates.createHandler[side](open()));
  for (const instance of instances) await api.invalidRequest()(instance);
  return instances;
};

const duplicatesOf = async (api: PaymentClient, instances: readonly LambdaHandler[]): Promise<Duplicates> => {
  const sent = { invoice: await api.createInvoice(), key: randomUUID() };
  const results = await Promise.allSettled(instances.map((instance) => api.paymentRequest(sent)(instance)));
  const isError = (result: (typeof results)[number]) => result.status === 'rejected' || result.value.statusCode !== 201;
  return { errors: results.filter(isError).length, payments: await api.countPayments(sent.invoice) };
};
