import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { audit, type ReportedFinding } from '#infra/operations/audit/audit.ts';
import type { Deployment } from '#infra/operations/deployment.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { deploymentOf } from '#test/support/service/deployment.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { publish, recordOf, type Workers } from '#test/support/service/workers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { createSealer } from '#test/support/state/pages.ts';

export type Row = Entity & Readonly<Record<string, unknown>>;

type AuditedWorkers = Pick<Workers, 'service' | 'queue' | 'own'>;

/** The data that an audit reads, with the database client of the endpoints. */
export const auditedDeployment = (workers: AuditedWorkers): Deployment =>
  deploymentOf(workers, { ...workers.own, dynamo: workers.service.client });

/** Writes without any condition, as no part of the service does. */
export interface Raw {
  readonly account: string;
  rows(table: TableName): Promise<readonly Row[]>;
  put(table: TableName, item: object): Promise<void>;
  /** Undefined removes an attribute. */
  set(table: TableName, key: object, values: Readonly<Record<string, unknown>>): Promise<void>;
  remove(table: TableName, key: object): Promise<void>;
  removeFile(name: string): Promise<void>;
}

export const rawWrites = ({ service, queue }: Workers, account: string): Raw => {
  const named = (table: TableName, key: object) => {
    const { partition } = tables[table].key;
    return {
      TableName: service.environment[tables[table].variable],
      Key: partition === 'account_id' ? { account_id: account, ...key } : { ...key },
    };
  };
  return {
    account,
    rows: async (table) => (await rowsOf(service, table, account)) as Row[],
    async put(table, item) {
      const { TableName, Key } = named(table, item);
      await service.client.send(new PutCommand({ TableName, Item: Key }));
    },
    async set(table, key, values) {
      const expression = new Expression();
      const remove = Object.keys(values).filter((name) => values[name] === undefined);
      const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
      const UpdateExpression = expression.update({ set, remove });
      const command = { ...named(table, key), UpdateExpression, ...expression.placeholders() };
      await service.client.send(new UpdateCommand(command));
    },
    async remove(table, key) {
      await service.client.send(new DeleteCommand(named(table, key)));
    },
    async removeFile(name) {
      await queue.s3.send(new DeleteObjectCommand({ Bucket: queue.bucket, Key: `${account}/${name}` }));
    },
  };
};

/** Completes the exports whose messages wait, and leaves the deliveries pending. */
export const runExports = ({ drain, run }: Workers): Promise<void> =>
  drain((bodies) =>
    run('workers/export', {
      Records: bodies.filter((body) => body.includes('export_id')).map((body) => recordOf(body)),
    }),
  );

/** An account with every kind of row, and a file. Its invoices: paid, itemized, with a refund, a draft, issued, and credited. */
export const createAccount = async (workers: Workers, account_id = newAccount()): Promise<string> => {
  const { service } = workers;
  const make = makers(service, { account: account_id });
  await make.endpoint();
  const customer_id = (await make.customer({ email: 'ada@example.com', external_id: 'ada' })).id;
  await make.customer({ name: 'Bob', external_id: 'bob' });
  const paid = await make.invoice({ customer_id, due_date: '2026-12-01' });
  await make.payment(paid.id, 400);
  const payment = await make.payment(paid.id, 600);
  await make.refund(payment.id, { amount_cents: 100 });
  const itemized = await make.create('invoices', { customer_id, items: LINES });
  await make.payment(itemized.id, 50);
  await make.invoice({ status: 'draft' });
  const series = await make.create('number-series', { prefix: 'A-' });
  for (const _ of LINES) await make.invoice({ series_id: series.id, customer_id });
  const credited = await make.invoice({ customer_id });
  await make.creditNote(credited.id, { amount_cents: 300, series_id: series.id });
  const deleted = await make.customer({ name: 'Eve' });
  await make.send('PATCH', deleted.path, { name: 'Eva' });
  await make.send('DELETE', deleted.path);
  const sealer = createSealer(service, SEALED_AFTER_MS);
  await sealer.index(account_id, 'customers').request();
  await sealer.run();
  await make.export();
  await runExports(workers);
  await make.export({ type: 'invoices' });
  await publish(workers, account_id);
  await createDeliveries(workers, account_id);
  return account_id;
};

/** Moves the endpoint to the end of the feed, and gives each event a delivery that is pending. */
const createDeliveries = async (workers: Workers, account: string): Promise<void> => {
  const raw = rawWrites(workers, account);
  const [{ id } = { id: 0 }] = await raw.rows('webhookEndpoints');
  const last = (await raw.rows('events')).at(-1);
  await raw.set('webhookEndpoints', { id }, { position: last?.['sequence'], position_id: last?.id, is_started: true });
  await auditOf(workers, account, true);
};

const LINES = [100, 200].map((unit_amount_cents) => ({ description: 'Work', unit_amount_cents, tax_percent: 20 }));

/** A time after which no row with an older id can be inserted, so that all rows are sealed. */
const SEALED_AFTER_MS = 60_000;

export const auditOf = (workers: AuditedWorkers, account: string, repairs = false): Promise<ReportedFinding[]> =>
  Array.fromAsync(audit(auditedDeployment(workers), { account, repairs, pauseMs: 0 }));
