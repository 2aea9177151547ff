import type { ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { DUE_PARTITIONS, dueIndex } from '#shared/platform/dynamodb/table.ts';
import { createS3Client } from '#shared/platform/files/files.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { type Data, startData } from '#test/unit/platform/engine.ts';

let data: Data;
let across: CrossAccountQueries;

beforeAll(async () => {
  data = await startData();
  across = new CrossAccountQueries(data.engine, createS3Client(), 'none', new AbortController().signal);
});
afterAll(() => data.stop());

test('changes of an account that fill three pages of a scan: it appears once, and the scan skips the other pages', async () => {
  // A page has 1 MB.
  const changes = 'x'.repeat(250_000);
  for (let id = 1; id <= 10; id++) await data.put('outbox', 'acct_large', { id, changes });
  for (const account of ['acct_a', 'acct_z']) await data.put('outbox', account, { id: 7, changes: [] });
  const scans = data.calls.get('ScanCommand') ?? 0;
  const found: unknown[] = [];
  for await (const account of across.waiting()) found.push(account);
  expect(found).toHaveLength(3);
  expect(found).toEqual(
    expect.arrayContaining([
      { account_id: 'acct_large', oldest: 1 },
      { account_id: 'acct_a', oldest: 7 },
      { account_id: 'acct_z', oldest: 7 },
    ]),
  );
  // A page for each segment of the table, and a page after the skipped part.
  expect((data.calls.get('ScanCommand') ?? 0) - scans).toBe(17);
});

test('60 due rows in one partition of the index, and one in each other: the first 16 rows are of 16 partitions', async () => {
  const partitions = [...Array(60).fill(DUE_PARTITIONS[0]), ...DUE_PARTITIONS.slice(1)];
  const { name } = dueIndex('due_at');
  for (const [id, partition] of partitions.entries())
    await data.put('webhookEndpoints', 'acct_due', { id, due_at: 1, [name]: partition });
  const found: unknown[] = [];
  for await (const row of across.due<Record<string, unknown>>('webhookEndpoints', 1)) found.push(row[name]);
  expect([new Set(found.slice(0, 16)).size, found.length]).toEqual([16, 75]);
});

test.each([
  [0, 0],
  [0.5, 8],
  [0.999, 15],
])(
  'a random number of %d: the scan begins at segment %d of 16, so that a run without time for all reads others than the last',
  async (random, first) => {
    const segments: unknown[] = [];
    data.client.middlewareStack.add(
      (next) => (call) => {
        segments.push((call.input as ScanCommandInput).Segment);
        return next(call);
      },
      { step: 'initialize', name: 'record-segments' },
    );
    const chance = jest.spyOn(Math, 'random').mockReturnValue(random);
    for await (const _ of across.accounts());
    chance.mockRestore();
    data.client.middlewareStack.remove('record-segments');
    expect(segments).toEqual(Array.from({ length: 16 }, (_, i) => (first + i) % 16));
  },
);
