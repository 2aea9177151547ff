import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { checkRestoredTables, RESTORED, replaceRows, restoredName } from '#infra/operations/restore-tables.ts';
import { createTables } from '#local/engines/tables.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { startWorkers } from '#test/support/service/workers.ts';
import { scan } from '#test/support/state/invariants.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import { auditedDeployment } from './audit/audited-account.ts';

/*
 * Tables that were restored, as docs/runbook.md says. The embedded engine cannot restore tables, so the test adds
 * DynamoDB's summary of a restore.
 */

const TIME = new Date('2026-11-22T10:00:00Z');

const workers = await startWorkers();
afterAll(() => workers.stop());
const deployment = auditedDeployment(workers);
const { middlewareStack } = deployment.dynamo;
const { customers } = deployment.tableNames;
const restoredCustomers = restoredName(customers, TIME);
const rowOf = (id: number, name: string) => ({ account_id: 'acct_r', id, name });
const kept = [1, 2].map((id) => rowOf(id, 'Ada'));
const restore = async () => {
  let total: object | undefined;
  for await (total of replaceRows(deployment, 'customers', restoredCustomers));
  return total;
};

beforeAll(async () => {
  const names = RESTORED.map((name) => [tables[name].variable, restoredName(deployment.tableNames[name], TIME)]);
  await createTables(workers.service.database, { ...Object.fromEntries(names), LIMITS_TABLE: 'restored-limits' });
  await putRows(deployment.dynamo, restoredCustomers, kept);
});
beforeEach(async () => {
  await restore();
  await putRows(deployment.dynamo, customers, [rowOf(1, 'Eve'), rowOf(3, 'Bob')]);
});
afterEach(() => {
  for (const name of ['refuse', 'describe']) middlewareStack.remove(name);
});

/** Adds to the answer for each restored table what DynamoDB adds, except for some attributes of the answer for one table. */
const describeAsDynamo = (change: Partial<TableDescription> = {}, of: TableName = 'payments'): void => {
  const changed = restoredName(deployment.tableNames[of], TIME);
  middlewareStack.add(
    // biome-ignore lint/suspicious/noExplicitAny: each command has types of its own
    (next: any) => async (call: any) => {
      const result = await next(call);
      const { Table } = result.output;
      if (!Table?.TableName.startsWith('restored-')) return result;
      const SourceTableArn = Table.TableArn.replace(/restored-\w+-/, '');
      const RestoreSummary = { SourceTableArn, RestoreDateTime: TIME, RestoreInProgress: false };
      const described = { ...Table, RestoreSummary, ...(Table.TableName === changed && change) };
      return { ...result, output: { ...result.output, Table: described } };
    },
    { step: 'initialize', name: 'describe' },
  );
};

test('a table gets the rows of its restored table, and no other rows', async () => {
  expect(await restore()).toEqual({ written: 2, compared: 3 });
  expect(await scan(workers.service, 'customers')).toEqual(kept);
});

test('DynamoDB refuses one call, and processes other calls in part: the table has exactly the restored rows', async () => {
  let calls = 0;
  middlewareStack.add(
    // biome-ignore lint/suspicious/noExplicitAny: each command has types of its own
    (next: any) => async (call: any) => {
      const [table] = Object.keys(call.input.RequestItems ?? {});
      if (table === undefined) return next(call);
      const items = call.input.RequestItems[table];
      if (++calls === 1) throw new ProblemError('unavailable');
      const isWrite = Array.isArray(items);
      const [first, ...rest] = isWrite ? items : items.Keys;
      const itemsOf = (some: readonly unknown[]) => ({ [table]: isWrite ? some : { ...items, Keys: some } });
      const result = await next({ ...call, input: { ...call.input, RequestItems: itemsOf([first]) } });
      const left = rest.length > 0 ? itemsOf(rest) : {};
      return { ...result, output: { ...result.output, [isWrite ? 'UnprocessedItems' : 'UnprocessedKeys']: left } };
    },
    { step: 'initialize', name: 'refuse' },
  );
  expect(await restore()).toEqual({ written: 2, compared: 3 });
  expect(await scan(workers.service, 'customers')).toEqual(kept);
  // A refused call, and a call for each row.
  expect(calls).toBe(1 + 2 + 3 + 1);
});

const check = (isDeleted?: boolean, time = TIME) => checkRestoredTables(deployment, { time, isDeleted });

test('each table was restored from the table of the stage, to the time: the check passes', async () => {
  describeAsDynamo();
  await expect(check()).resolves.toBeUndefined();
});

test('the tables of an earlier restore: have other names, so each table of this time is absent', async () => {
  describeAsDynamo();
  const later = new Date(TIME.getTime() + 1000);
  const absent = RESTORED.map((name) => `${restoredName(deployment.tableNames[name], later)} does not exist`);
  await expect(check(false, later)).rejects.toThrow(`Nothing was copied: ${absent.join('; ')}.`);
});

test('tables that were not restored: refused', async () => {
  await expect(check()).rejects.toThrow(`${restoredCustomers} comes from no restore; `);
});

const summary = {
  SourceTableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/other',
  RestoreDateTime: TIME,
  RestoreInProgress: false,
};
const own = (await deployment.dynamo.send(new DescribeTableCommand({ TableName: deployment.tableNames.payments })))
  .Table;

test.each([
  ['is still being created', { TableStatus: 'CREATING' }, 'is not complete (CREATING)'],
  ['is still being restored', { RestoreSummary: { ...summary, RestoreInProgress: true } }, 'is not complete (ACTIVE)'],
  ['comes from another table', { RestoreSummary: summary }, `comes from ${summary.SourceTableArn}`],
  [
    'is the state of another second',
    { RestoreSummary: { ...summary, SourceTableArn: own?.TableArn, RestoreDateTime: new Date(TIME.getTime() - 1000) } },
    'is the state of 2026-11-22T09:59:59Z, not of 2026-11-22T10:00:00Z',
  ],
  ['has another key', { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] }, 'has another key'],
  [
    'comes from a backup',
    { RestoreSummary: { ...summary, SourceBackupArn: 'arn:backup' } },
    'comes from a backup, which only --deleted permits',
  ],
] as const)('one of the restored tables %s: refused in one line that names it', async (_, change, problem) => {
  describeAsDynamo(change as Partial<TableDescription>);
  const name = restoredName(deployment.tableNames.payments, TIME);
  await expect(check()).rejects.toThrow(new Error(`Nothing was copied: ${name} ${problem}.`));
});

test('a table that was deleted, restored from its backup: accepted with --deleted', async () => {
  describeAsDynamo({ RestoreSummary: { ...summary, SourceBackupArn: 'arn:backup', RestoreDateTime: new Date() } });
  await expect(check(true)).resolves.toBeUndefined();
});
