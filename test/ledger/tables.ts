import { isDeepStrictEqual } from 'node:util';
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import type { Service } from '#test/support/service.ts';
import type { Ledger } from './ledger.ts';

type Row = Record<string, unknown> & { id: number };
type Rows = Readonly<Record<keyof typeof COLUMNS, readonly Row[]>>;

/** The attributes of a row that the ledger predicts, by table. */
const COLUMNS = {
  invoices: ['id', 'status', 'total_cents', 'currency', 'description', 'amount_paid_cents', 'version'],
  invoiceItems: ['id', 'invoice_id', 'description', 'quantity', 'unit_amount_cents', 'version'],
  payments: ['id', 'invoice_id', 'amount_cents', 'amount_refunded_cents', 'created_by', 'version'],
  refunds: ['id', 'payment_id', 'amount_cents'],
} as const satisfies Partial<Record<TableName, readonly string[]>>;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const tableName = ({ environment }: Service, table: TableName) => environment[tables[table].variable] as string;

/**
 * Reads every row of the ledger and the record of a key, in one call, and checks them.
 * @param record the request under the key, and the number of its records
 */
export const checkKnownRows = async (
  service: Service,
  account_id: string,
  ledger: Ledger,
  record: { readonly target: string; readonly key: string; readonly times: number } | undefined,
): Promise<void> => {
  const keys: [TableName, object[]][] = NAMES.map((table) => [
    table,
    [...ledger[table].keys()].map((id) => ({ account_id, id })),
  ]);
  if (record) keys.push(['idempotency', [{ key: `${account_id}#POST ${record.target}#${record.key}` }]]);
  const nonEmpty = keys.filter(([, Keys]) => Keys.length > 0);
  if (nonEmpty.length === 0) return;
  const RequestItems = Object.fromEntries(
    nonEmpty.map(([table, Keys]) => [tableName(service, table), { Keys, ConsistentRead: true }]),
  );
  const { Responses } = await service.client.send(new BatchGetCommand({ RequestItems }));
  const found = (table: TableName) => (Responses?.[tableName(service, table)] ?? []) as Row[];
  check(Object.fromEntries(NAMES.map((table) => [table, found(table)])) as unknown as Rows, ledger);
  expect(found('idempotency')).toHaveLength(record?.times ?? 0);
};

/** Reads all rows of an account by Query, and checks that they are exactly those of the ledger. */
export const checkAllRows = async (service: Service, account_id: string, ledger: Ledger): Promise<void> => {
  const found = NAMES.map(async (table) => {
    const query = new QueryCommand({
      TableName: tableName(service, table),
      KeyConditionExpression: 'account_id = :account_id',
      ExpressionAttributeValues: { ':account_id': account_id },
      ConsistentRead: true,
    });
    return [table, (await service.client.send(query)).Items ?? []];
  });
  check(Object.fromEntries(await Promise.all(found)) as Rows, ledger);
};

/** Checks that the sums of the rows agree (CONTRACT §4), and that the rows equal the ledger. */
const check = (rows: Rows, ledger: Ledger): void => {
  const sum = (table: keyof Rows, by: string, id: number) =>
    rows[table].filter((row) => row[by] === id).reduce((total, row) => total + Number(row['amount_cents']), 0);
  const isSound = ({ id, status, total_cents, amount_paid_cents }: Row) => {
    const received = sum('payments', 'invoice_id', id);
    const statuses = received === 0 ? [status] : received === total_cents ? ['paid'] : ['open', 'paid'];
    return amount_paid_cents === received && received <= Number(total_cents) && statuses.includes(status);
  };
  const isCovered = ({ id, amount_cents, amount_refunded_cents }: Row) => {
    const refunded = sum('refunds', 'payment_id', id);
    return amount_refunded_cents === refunded && refunded <= Number(amount_cents);
  };
  const wrong = [...rows.invoices.filter((row) => !isSound(row)), ...rows.payments.filter((row) => !isCovered(row))];
  // Jest's comparison is slow: it runs only to print the difference.
  if (wrong.length > 0) expect(wrong).toEqual([]);
  for (const table of NAMES) {
    const columns = rows[table].map((row) => COLUMNS[table].map((name) => [name, row[name]]));
    const found = Object.fromEntries(columns.map((row) => [row[0]?.[1], Object.fromEntries(row)]));
    const expected = Object.fromEntries([...ledger[table]].map(([id, member]) => [id, { id, ...member }]));
    if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
  }
};
