import { createHash } from 'node:crypto';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deployment } from '#infra/operations/deployment.ts';
import { OperationError } from '#infra/operations/operation-error.ts';
import * as RESOURCES from '#shared/invoicing/row-checks.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { createSerializer } from '#shared/platform/wire/field.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { AccountFiles } from './account-files.ts';
import { AccountRows, type Row } from './account-rows.ts';

interface ExportedFile {
  /** The path in the folder. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The number of lines; only for rows. */
  readonly rows?: number;
}

interface Manifest {
  readonly account: string;
  readonly deployment: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly files: readonly ExportedFile[];
  readonly unfinished_uploads: number;
}

/** The manifest is written last: a folder without manifest is incomplete. */
export const MANIFEST = 'manifest.json';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string>;

/**
 * Writes the data of an account into an empty folder: a file of JSON lines for each table, and the files of exports. A
 * resource has its v2 form. The rows of other tables have no form in the API, and are written as they are stored. The
 * reads are not a snapshot.
 * @throws OperationError for a folder with files
 */
export const exportAccount = async (deployment: Deployment, account: string, folder: string): Promise<Manifest> => {
  const started_at = new Date().toISOString();
  await createFolder(folder);
  const [rows, objects] = [new AccountRows(deployment, account), new AccountFiles(deployment, account)];
  const files: ExportedFile[] = [];
  for (const table of Object.keys(tables) as TableName[]) files.push(await writeRows(folder, table, rows.read(table)));
  for await (const { name } of objects.list())
    files.push(await writeFile(folder, `files/${name}`, await objects.read(name)));
  let unfinished_uploads = 0;
  for await (const _ of objects.uploads()) unfinished_uploads += 1;
  const ended_at = new Date().toISOString();
  const manifest = { account, deployment: deployment.name, started_at, ended_at, files, unfinished_uploads };
  await writeFile(folder, MANIFEST, [`${JSON.stringify(manifest, null, 2)}\n`]);
  return manifest;
};

const createFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new OperationError(`The folder ${folder} is not empty.`);
};

const writeRows = async (folder: string, table: TableName, pages: AsyncIterable<Row[]>): Promise<ExportedFile> => {
  const { path, lineOf } = formOf(table);
  let rows = 0;
  const lines = async function* () {
    for await (const page of pages) {
      rows += page.length;
      yield page.map((row) => `${JSON.stringify(lineOf(row))}\n`).join('');
    }
  };
  return { ...(await writeFile(folder, path, lines())), rows };
};

interface Form {
  readonly path: string;
  readonly lineOf: (row: Row) => Row;
}

const formOf = (table: TableName): Form => {
  const resource = (RESOURCES as Readonly<Partial<Record<TableName, Resource>>>)[table];
  if (resource) return { path: `${resource.collection}.jsonl`, lineOf: createSerializer(resource.fields.v2) };
  return { path: `stored/${table}.jsonl`, lineOf: table === 'idempotency' ? withoutSecret : (row) => row };
};

/** The response that creates or rotates the secret of a webhook endpoint contains the secret. */
const withoutSecret = (record: Row): Row => {
  const body = JSON.parse(String(record['body']));
  return body.secret ? { ...record, body: JSON.stringify({ ...body, secret: null }) } : record;
};

/** Only the operator may read the files. */
const writeFile = async (folder: string, path: string, chunks: Chunks): Promise<ExportedFile> => {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using file = await open(target, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    const data = Buffer.from(chunk as Uint8Array);
    hash.update(data);
    bytes += data.length;
    await file.writeFile(data);
  }
  return { path, bytes, sha256: hash.digest('hex') };
};
