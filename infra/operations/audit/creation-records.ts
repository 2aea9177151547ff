import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PacedReads } from '#infra/operations/paced-reads.ts';
import { resources } from '#shared/invoicing/index.ts';
import { type IdempotencyRecord, recordPrefix } from '#shared/platform/commit/idempotency.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

/** The part of an idempotency record that the audit reads: the response reports that the resource was created. */
export interface CreationRecord extends Pick<IdempotencyRecord, 'key' | 'created_at'> {
  readonly table: ResourceName;
  readonly id: number;
}

type StoredRecord = Pick<IdempotencyRecord, 'key' | 'status' | 'headers' | 'created_at'>;

const TABLES: ReadonlyMap<string, ResourceName> = new Map(
  Object.values(resources).map(({ collection, table }) => [collection, table]),
);

const LOCATION = /^\/v\d+\/([a-z-]+)\/(\d+)$/;

const toCreationRecord = ({ key, headers, created_at }: StoredRecord): CreationRecord | undefined => {
  const location = Object.entries(headers).find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  const [, collection = '', id] = LOCATION.exec(location) ?? [];
  const table = TABLES.get(collection);
  return table && { key, created_at, table, id: Number(id) };
};

/**
 * The records of accounts that report a creation. The partition of a record is its key, so one scan reads the records
 * of all accounts. Temporary files hold the records; the memory holds the records of one account.
 */
export class CreationRecords {
  readonly #directory: string;
  readonly #files = new Set<string>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param account all accounts by default */
  static async read(reads: PacedReads, TableName: string, account?: string): Promise<CreationRecords> {
    const records = new CreationRecords(await mkdtemp(join(tmpdir(), 'audit-')));
    const expression = new Expression();
    const ProjectionExpression = expression.projection(['key', 'status', 'headers', 'created_at']);
    const [status, created, accepted] = [expression.name('status'), expression.value(201), expression.value(202)];
    const isCreation = `${status} IN (${created}, ${accepted})`;
    const isOfAccount =
      account === undefined
        ? ''
        : ` AND begins_with(${expression.name('key')}, ${expression.value(recordPrefix(account))})`;
    const input = { TableName, ProjectionExpression, FilterExpression: isCreation + isOfAccount };
    for await (const page of reads.scan<StoredRecord>({ ...input, ...expression.placeholders() }))
      await records.#append(page.map(toCreationRecord).filter((record) => record !== undefined));
    return records;
  }

  async #append(records: readonly CreationRecord[]): Promise<void> {
    const byFile = Map.groupBy(records, ({ key }) => this.#fileOf(key.slice(0, key.indexOf('#'))));
    for (const [file, own] of byFile) {
      await appendFile(file, own.map((record) => `${JSON.stringify(record)}\n`).join(''));
      this.#files.add(file);
    }
  }

  async of(account: string): Promise<CreationRecord[]> {
    const file = this.#fileOf(account);
    if (!this.#files.has(file)) return [];
    const found: CreationRecord[] = [];
    const lines = createInterface({ input: createReadStream(file) });
    for await (const line of lines) {
      const record = JSON.parse(line) as CreationRecord;
      if (record.key.startsWith(recordPrefix(account))) found.push(record);
    }
    return found;
  }

  /** Accounts share 256 files. */
  #fileOf(account: string): string {
    return join(this.#directory, createHash('sha256').update(account).digest('hex').slice(0, 2));
  }

  async delete(): Promise<void> {
    await rm(this.#directory, { recursive: true });
  }
}
