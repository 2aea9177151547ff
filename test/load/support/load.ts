import { basename } from 'node:path';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { SEED } from '#test/support/extent/seed.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import type { Partition, PartitionUsage } from '../engine/buckets.ts';
import { limitClient } from '../engine/limit-client.ts';
import { LimitedEngine } from '../engine/limited-engine.ts';
import { DYNAMODB_LIMITS, type Limits, NO_LIMITS } from '../engine/limits.ts';

/** The service and its workers, on an engine that refuses as DynamoDB does. */
export interface Load {
  readonly service: Webhooks;
  readonly engine: LimitedEngine;
  /** Sets the limits of DynamoDB with these differences, or no limits, and begins to count usage. */
  limit(limits?: Partial<Limits>): void;
  /** What partitions have given and refused since `limit`. */
  usage(isCounted: (partition: Partition) => boolean): PartitionUsage;
  /** The number of events in the feed of an account. */
  countEvents(account: string): Promise<number>;
  /** Puts rows of an account, with their index keys, past the limits and without any rule. */
  put(table: TableName, account: string, rows: readonly object[]): Promise<void>;
}

const CONCURRENCY = 8;

type Variables = Readonly<Record<string, string>>;

const startLoad = async (variables: Variables): Promise<Load & { stop(): Promise<void> }> => {
  const engine = new LimitedEngine();
  const service = await startWebhooks({ variables });
  for (const client of [service.client, service.own.dynamo]) limitClient(client, engine);
  const direct = createDynamoClient();
  return {
    service,
    engine,
    limit(limits) {
      engine.configure(limits ? { ...DYNAMODB_LIMITS, ...limits } : NO_LIMITS);
    },
    usage: (isCounted) => engine.buckets.usage(isCounted),
    async countEvents(account_id) {
      const { Item } = await direct.send(new GetCommand({ TableName: 'outbox', Key: { account_id, id: HEAD_ID } }));
      return Item?.['sequence'] ?? 0;
    },
    async put(table, account_id, rows) {
      const items = rows.map((row) => ({
        ...{ account_id, write_id: crypto.randomUUID() },
        ...row,
        ...indexKeys(tables[table], account_id, row),
      }));
      const parts = batchesOf(items, Math.ceil(items.length / CONCURRENCY));
      await Promise.all(parts.map((part) => putRows(direct, table, part)));
    },
    async stop() {
      direct.destroy();
      await service.stop();
    },
  };
};

/** Starts the service, with additional variables, for a test file. */
export const forEachLoad = (begin: (load: Load) => void, variables: Variables = {}): void => {
  let load: Awaited<ReturnType<typeof startLoad>>;
  beforeAll(async () => {
    load = await startLoad(variables);
    begin(load);
  });
  afterAll(() => load.stop());
};

/** Prints the seed and the figures of a scenario, also when it holds. */
export const print = (figures: object): void => {
  process.stderr.write(
    `${basename(expect.getState().testPath ?? '')}: ${JSON.stringify({ seed: SEED, ...figures })}\n`,
  );
};

/** Counts the attempts of a client's calls, by command. The returned function returns them, and begins again. */
export const countAttempts = ({ middlewareStack }: DynamoDBDocumentClient): (() => Record<string, number>) => {
  let counts: Record<string, number> = {};
  middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        const command = commandName.replace('Command', '');
        counts[command] = (counts[command] ?? 0) + 1;
        return next(call);
      },
    { step: 'finalizeRequest', priority: 'low', name: 'count-attempts', override: true },
  );
  return () => {
    const taken = counts;
    counts = {};
    return taken;
  };
};

export const tally = (statuses: readonly (number | string)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? 0;
