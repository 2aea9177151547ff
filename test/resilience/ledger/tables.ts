import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import type { TableName } from '#shared/vocabulary.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { brokenRules } from '#test/support/state/sums.ts';
import type { Ledger } from './ledger.ts';

/** The attributes of a row that the ledger predicts, by table. */
const COLUMNS = {
  invoices: [
    ...['id', 'status', 'total_cents', 'currency', 'description', 'due_date', 'external_id'],
    ...['series_id', 'number', 'amount_paid_cents', 'amount_credited_cents', 'payment_count', 'settlement', 'version'],
  ],
  numberSeries: ['id', 'prefix', 'last_number', 'status', 'version'],
  invoiceItems: ['id', 'invoice_id', 'description', 'quantity', 'unit_amount_cents', 'tax_percent', 'version'],
  payments: [
    'id',
    'invoice_id',
    'amount_cents',
    'amount_refunded_cents',
    'created_by',
    'void_reason',
    'external_id',
    'version',
  ],
  refunds: ['id', 'payment_id', 'amount_cents'],
  creditNotes: [
    ...[
      'id',
      'invoice_id',
      'amount_cents',
      'applied_cents',
      'currency',
      'reason',
      'external_id',
      'series_id',
      'number',
    ],
    'version',
  ],
} as const satisfies Partial<Record<TableName, readonly string[]>>;
const TABLES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Checks that the rows of an account are exactly the rows of the ledger, and that their sums and numbers hold. */
export const checkRows = async (service: LocalService, account: string, ledger: Ledger): Promise<void> => {
  const all = Object.fromEntries(
    await Promise.all(TABLES.map(async (table) => [table, await rowsOf(service, table, account)] as const)),
  ) as Record<(typeof TABLES)[number], Record<string, unknown>[]>;
  for (const table of TABLES) {
    const columns = all[table].map((row) => COLUMNS[table].map((name) => [name, row[name]]));
    const found = Object.fromEntries(columns.map((row) => [row[0]?.[1], Object.fromEntries(row)]));
    const expected = Object.fromEntries([...ledger[table]].map(([id, member]) => [id, { id, ...member }]));
    // Jest's comparison is slow: it runs only to print the difference.
    if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
  }
  expect(brokenRules(all)).toEqual([]);
};

/** Whether a POST with this key has a stored response. */
export const hasRecord = async (
  { client, environment }: LocalService,
  account: string,
  { target, key }: { readonly target: string; readonly key: string },
): Promise<boolean> => {
  const Key = { key: `${account}#POST ${target}#${key}` };
  const stored = new GetCommand({ TableName: environment['IDEMPOTENCY_TABLE'], Key, ConsistentRead: true });
  return (await client.send(stored)).Item !== undefined;
};
