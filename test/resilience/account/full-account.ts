import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf, type Table } from '#shared/platform/dynamodb/table.ts';
import { fileKey } from '#shared/platform/files/file-key.ts';
import { createCounter } from '#shared/platform/limits/table-counter.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { restore } from '#test/resilience/ledger/restore.ts';
import { createMember } from '#test/support/requests/examples.ts';
import { tableNamesOf } from '#test/support/service/deployment.ts';
import { makers } from '#test/support/service/makers.ts';
import { publish, recordOf, type Workers } from '#test/support/service/workers.ts';
import { scan } from '#test/support/state/invariants.ts';
import { createSealer } from '#test/support/state/pages.ts';

type Row = Readonly<Record<string, unknown>>;

export const TABLES = Object.keys(tables) as TableName[];

/** With the other members, the events and the idempotency records are more than one batch of deletes. */
const CUSTOMERS = 20;

/**
 * Gives an account rows in every table, a file, an unfinished upload, and messages.
 * @returns the messages, which no worker has handled
 */
export const fillAccount = async (workers: Workers, account_id: string): Promise<readonly object[]> => {
  const { service, queue, run } = workers;
  const make = makers(service, { account: account_id });
  const received = async () => (await queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
  await make.customer();
  await make.export();
  await run('workers/export', { Records: (await received()).map((body) => recordOf(body)) }, 300_000);
  const endpoint = await make.endpoint();
  await make.send('POST', `${endpoint.path}/rotate-secret`);
  await Promise.all(
    Array.from({ length: CUSTOMERS }, (_, i) => make.customer({ email: `${i}@example.com`, external_id: `own-${i}` })),
  );
  for (const { collection } of Object.values(resources))
    await createMember(service, collection, { account: account_id });
  await publish(workers, account_id);
  const sealer = createSealer(service);
  await sealer.index(account_id, 'customers').request({ asked_at: Date.now() });
  await sealer.run();
  const context = { client: service.client, tableNames: tableNamesOf(service) };
  const charge = { now: Date.now(), milliseconds: 1, latest: Number.MAX_SAFE_INTEGER, isBusy: false };
  await createCounter(context).charge(account_id, charge, new AbortController().signal);
  await beginUpload(workers, account_id);
  // A change that waits in the outbox.
  await make.customer();
  const messages: object[] = [];
  for (let batch = await received(); batch.length > 0; batch = await received()) messages.push(...batch);
  return [...messages, { account_id, webhook_endpoint_id: endpoint.id }];
};

const beginUpload = async ({ queue }: Workers, account: string): Promise<void> => {
  await queue.s3.send(new CreateMultipartUploadCommand({ Bucket: queue.bucket, Key: fileKey(account, '1/1.csv') }));
};

/** All stored data, in a form in which two moments can be compared. */
export interface State {
  readonly rows: ReadonlyMap<TableName, readonly Row[]>;
  readonly files: ReadonlyMap<string, string>;
  readonly uploads: readonly string[];
}

/** The stored data of one account. The rows are selected by the values of their keys. */
export const stateOf = async ({ service, queue }: Workers, account: string): Promise<State> => {
  const isOwn = (key: unknown) => new RegExp(`^${account}(?![\\w-])`).test(String(key));
  const rowsOf = async (table: TableName) => {
    const rows = await scan(service, table);
    return [table, rows.filter((row) => isOwn(row[tables[table].key.partition]))] as const;
  };
  const names = [...(await queue.files()).keys()].filter(isOwn).sort();
  const files = names.map(async (name) => [name, (await queue.read(name)).toString('base64')] as const);
  return {
    rows: new Map(await Promise.all(TABLES.map(rowsOf))),
    files: new Map(await Promise.all(files)),
    uploads: (await queue.uploads()).filter(isOwn),
  };
};

/** The keys of the entries of all indexes that belong to an account. */
export const indexEntriesOf = async ({ service }: Workers, account: string): Promise<Row[]> => {
  const indexes = TABLES.flatMap((table) =>
    indexesOf(tables[table] as Table).map(({ name }) => ({
      TableName: service.environment[tables[table].variable],
      IndexName: name,
    })),
  );
  const pages = await Promise.all(indexes.map((input) => service.client.send(new ScanCommand(input))));
  const entries = pages.flatMap(({ Items = [] }) => Items);
  return entries.filter(
    ({ account_id, collection }) => account_id === account || String(collection).startsWith(`${account}#`),
  );
};

/** Stores the data of an account again. */
export const restoreState = async (
  workers: Workers,
  account: string,
  { rows, files, uploads }: State,
): Promise<void> => {
  const { service, queue } = workers;
  await restore(service, rows);
  for (const [Key, text] of files)
    await queue.s3.send(new PutObjectCommand({ Bucket: queue.bucket, Key, Body: Buffer.from(text, 'base64') }));
  for (const _ of uploads) await beginUpload(workers, account);
};
