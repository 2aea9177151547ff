import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect } from '@jest/globals';
import { type AccountState, RESOURCE_NAMES } from '#infra/operations/audit/account-state.ts';
import type { Check } from '#infra/operations/audit/check.ts';
import { owners } from '#infra/operations/audit/owner-checks.ts';
import { indexes, values } from '#infra/operations/audit/row-checks.ts';
import { numberSeries } from '#infra/operations/audit/series-checks.ts';
import { customers, invoices, payments } from '#infra/operations/audit/sum-checks.ts';
import { uniqueValues } from '#infra/operations/audit/unique-checks.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { type RawItem, readAll } from '#test/support/engine/raw-reads.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { brokenRules } from './sums.ts';

type Item = Record<string, unknown>;

/** Reads every item of a table, across accounts. */
export const scan = async (service: LocalService, table: TableName): Promise<Item[]> =>
  (await scanRaw(service, table)).map((item) => unmarshall(item));

export const scanRaw = (service: LocalService, table: TableName): Promise<RawItem[]> =>
  readAll(service, 'Scan', { TableName: service.environment[tables[table].variable] });

/** Reads every item of one account in a table. */
export const rowsOf = async (
  service: Pick<LocalService, 'client' | 'database' | 'environment'>,
  table: TableName,
  account: string,
): Promise<Item[]> => {
  const items = await readAll(service, 'Query', {
    TableName: service.environment[tables[table].variable],
    KeyConditionExpression: 'account_id = :account',
    ExpressionAttributeValues: { ':account': { S: account } },
  });
  return items.map((item) => unmarshall(item));
};

/** The part of an account's state that a test has read. */
export const stateWith = (account: string, rows: object, more: Partial<AccountState> = {}): AccountState => ({
  account,
  at: new Date().toISOString(),
  rows: { ...Object.fromEntries(RESOURCE_NAMES.map((name) => [name, []])), ...rows } as unknown as AccountState['rows'],
  outbox: [],
  counters: undefined,
  uniqueValues: [],
  pages: new Map(),
  records: [],
  files: new Map(),
  ...more,
});

/** The checks of the audit that hold for the rows alone; tests also store rows without their events and counters. */
const INVARIANTS = [values, indexes, owners, invoices, payments, customers, numberSeries, uniqueValues];

export const expectNone = (checks: readonly Check[], state: AccountState): void =>
  expect(checks.flatMap(({ find }) => find(state).map(({ table, id, detail }) => [table, id, detail]))).toEqual([]);

/** Checks the invariants that the tables must have after any failure or race, for one account or for all. */
export const checkInvariants = async (service: LocalService, account?: string): Promise<void> => {
  const names = [...RESOURCE_NAMES, 'uniqueValues'] as const;
  const all = await Promise.all(
    names.map((table) => (account === undefined ? scan(service, table) : rowsOf(service, table, account))),
  );
  const byOwner = all.map((rows) => Map.groupBy(rows, (item) => String(item['account_id'])));
  for (const owner of new Set(byOwner.flatMap((rows) => [...rows.keys()]))) {
    const { uniqueValues, ...rows } = Object.fromEntries(
      names.map((table, i) => [table, byOwner[i]?.get(owner) ?? []]),
    );
    expect(brokenRules(rows as never)).toEqual([]);
    expectNone(INVARIANTS, stateWith(owner, rows, { uniqueValues } as never));
  }
};
