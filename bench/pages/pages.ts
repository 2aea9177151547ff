import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createDatabase } from '#bench/measure/database.ts';
import { requireDynoxide } from '#bench/measure/dynoxide.ts';
import { ACCOUNT } from '#bench/measure/invoices.ts';
import { minimum, type Progress } from '#bench/measure/samples.ts';
import seal from '#functions/workers/seal.ts';
import { startDynoxide } from '#local/engines/dynoxide.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { type Commit, createCommit } from '#shared/platform/commit/commit.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { HORIZON_MS, type IndexedStore, sealTail } from '#shared/platform/jobs/seal.ts';
import type { CursorRequest, OffsetRequest } from '#shared/platform/store/page.ts';
import { currentInvocation, type Invocation, runInvocation } from '#shared/platform/telemetry/invocation.ts';
import { tableNames } from '#shared/runtime/settings.ts';

export const PER_PAGE = 100;
/** The offsets of the pages, as parts of the rows. */
export const OFFSETS = [0, 0.01, 0.5, 0.99];
const WAIT_MS = 10_000;

/** The cost of one page. */
export interface PageCost {
  readonly requests: number;
  readonly readUnits: number;
  readonly milliseconds: number;
}

export interface PageFigures {
  readonly rows: number;
  readonly sealMilliseconds: number;
  /** Pages with an index, by offset. */
  readonly indexed: readonly PageCost[];
  /** One pass over all rows, which counts them: the cost of any page without an index. */
  readonly counted: PageCost;
  /** A page by due date, in the middle. */
  readonly due: PageCost;
}

/** Measures pages of a collection with an index, and the same pages when all rows are counted. */
export const measurePages = async (
  directory: string,
  rows: number,
  samples: number,
  progress: Progress,
): Promise<PageFigures> => {
  const engine = await startDynoxide(requireDynoxide(), await createDatabase(directory, rows, progress));
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
  await createTables(engine.endpoint);
  const client = createDynamoClient();
  try {
    const context = { client, tableNames: tableNames(tableVariables(), seal) };
    const { invoices } = createStores(context)(ACCOUNT);
    const before = performance.now();
    await sealAll(invoices, createCommit(context));
    const sealMilliseconds = performance.now() - before;
    // Alternately, so that noise of the machine affects all offsets.
    const runs: PageCost[][] = OFFSETS.map(() => []);
    for (let i = 0; i < samples; i++)
      for (const [n, offset] of OFFSETS.entries())
        runs[n]?.push(await measure(() => invoices.list(requestOf(offset, rows))));
    const indexed = runs.map(fastest);
    const counted = await measure(() => countRows(client));
    const due: PageCost[] = [];
    for (let i = 0; i < samples; i++) due.push(await measure(() => invoices.list(DUE)));
    return { rows, sealMilliseconds, indexed, counted, due: fastest(due) };
  } finally {
    client.destroy();
    await engine.stop();
  }
};

const sealAll = async (store: IndexedStore, commit: Commit): Promise<void> => {
  const sealAt = (time: number) =>
    sealTail(store, {
      now: () => new Date(time).toISOString(),
      remaining: () => Number.POSITIVE_INFINITY,
      commit: async (decide) => 'done' in (await commit({ writes: decide(), deadline: Date.now() + WAIT_MS })),
    });
  // The first run only activates the index.
  await sealAt(Date.now() - HORIZON_MS);
  const { isDone } = await sealAt(Date.now());
  if (!isDone) throw new Error('Not all rows are sealed.');
};

const requestOf = (offset: number, rows: number): OffsetRequest<never> => ({
  style: 'offset',
  page: Math.floor((offset * rows) / PER_PAGE) + 1,
  per_page: PER_PAGE,
  filter: {},
  order: 'ascending',
});

const DUE: CursorRequest<never> = {
  style: 'cursor',
  limit: PER_PAGE,
  after: undefined,
  sort: { by: 'due_date', from: '2025-06-01', before: undefined, after: undefined },
  filter: { status: 'open' },
  order: 'ascending',
};

/** The rows in 1 MB, DynamoDB's page. The embedded engine needs this limit, because it would read the whole range. */
const COUNT_LIMIT = 2800;

const countRows = async (client: DynamoDBDocumentClient): Promise<void> => {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const input = {
      TableName: 'invoices',
      KeyConditionExpression: 'account_id = :account',
      ExpressionAttributeValues: { ':account': ACCOUNT },
      Select: 'COUNT' as const,
      ConsistentRead: true,
      Limit: COUNT_LIMIT,
      ExclusiveStartKey,
    };
    ({ LastEvaluatedKey: ExclusiveStartKey } = await client.send(new QueryCommand(input)));
  } while (ExclusiveStartKey);
};

/** The client adds its calls and units to the current invocation, as in a Lambda. */
const measure = (read: () => Promise<unknown>): Promise<PageCost> =>
  runInvocation(async () => {
    const { started, usage } = currentInvocation() as Invocation;
    await read();
    return { requests: usage.calls, readUnits: usage.readUnits, milliseconds: performance.now() - started };
  });

/** Other load makes a call only slower. */
const fastest = (costs: readonly PageCost[]): PageCost => ({
  ...(costs[0] as PageCost),
  milliseconds: minimum(costs.map(({ milliseconds }) => milliseconds)),
});
