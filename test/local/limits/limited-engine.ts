import { startDynamo } from '#local/engines/dynamodb.ts';
import type { Request } from '#local/engines/limits/actions.ts';
import type { Call, Reply } from '#local/engines/limits/call.ts';
import { ThroughputLimiter } from '#local/engines/limits/limiter.ts';
import type { Limits } from '#local/engines/limits/settings.ts';
import { NO_LIMITS } from '#test/support/engine/no-limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any response
type Json = any;

export type Send = (operation: string, input: object) => Promise<Json>;

export interface Engines {
  readonly limiter: ThroughputLimiter;
  /** Answers within limits: the response, or the error as `{ code, reasons }`. */
  readonly limited: Send;
  /** The engine itself. */
  readonly direct: Send;
  stop(): Promise<void>;
}

const createCall =
  (endpoint: string, accessKeyId: string): Call =>
  async (operation, input) => {
    const scope = `${accessKeyId}/20260101/local/dynamodb/aws4_request`;
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    };
    const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
    return { status: response.status, body: (await response.json()) as Json };
  };

const toOutcome = ({ status, body }: Reply): Json => {
  if (status === 200) return body;
  const { __type: type, CancellationReasons } = body as Json;
  const reasons = CancellationReasons?.map(({ Code }: { Code: string }) => Code);
  return { code: type.split('#')[1], ...(reasons && { reasons }) };
};

/** @param pause replaces the waits of the limiter */
export const startLimited = async (pause?: (ms: number) => Promise<unknown>): Promise<Engines> => {
  const engine = await startDynamo();
  const limiter = new ThroughputLimiter(NO_LIMITS, pause);
  const call = createCall(engine.endpoint, engine.accessKeyId ?? 'local');
  const direct: Send = async (...sent) => toOutcome(await call(...sent));
  for (const table of TABLES) {
    const { code } = await direct('CreateTable', table);
    if (code) throw new Error(code);
  }
  const limited: Send = async (operation, input) => toOutcome(await limiter.answer(operation, input as Request, call));
  return { limiter, direct, limited, stop: () => engine.stop() };
};

/** One unit a second for each partition, and no credit. */
export const ONE_UNIT: Partial<Limits> = { ...NO_LIMITS, readUnits: 1, writeUnits: 1, burstSeconds: 1 };

const key = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

const table = (TableName: string, BillingMode: string, throughput: object) => ({
  TableName,
  BillingMode,
  ...throughput,
  AttributeDefinitions: Object.entries({ account: 'S', id: 'N', status: 'S', due: 'N' }).map(
    ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }),
  ),
  KeySchema: key('account', 'id'),
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by_status',
      KeySchema: key('status', 'due'),
      Projection: { ProjectionType: 'KEYS_ONLY' },
      ...throughput,
    },
  ],
});

const TABLES = [
  table('invoices', 'PAY_PER_REQUEST', {}),
  table('provisioned', 'PROVISIONED', { ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } }),
];
