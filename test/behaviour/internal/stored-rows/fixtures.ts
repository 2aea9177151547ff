import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tables } from '#shared/invoicing/tables.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { putAll, type RawItem } from '#test/support/engine/raw-reads.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { scanRaw } from '#test/support/state/invariants.ts';

/** The rows of one account as a release, or a commit between releases, stored them. */
export interface Fixture {
  readonly account: string;
  /** The version, or the commit, whose code stored the rows, and when. */
  readonly storedBy: string;
  readonly tables: Readonly<Record<string, readonly RawItem[]>>;
}

const FOLDER = new URL('../../../fixtures/rows/', import.meta.url);

/** The tables that have another name now. */
const RENAMED: Readonly<Record<string, TableName>> = {
  items: 'invoiceItems',
  webhooks: 'webhookEndpoints',
  deliveries: 'webhookDeliveries',
};

const presentTable = (name: string): TableName => RENAMED[name] ?? (name as TableName);

export const FIXTURES: readonly [name: string, fixture: Fixture][] = readdirSync(FOLDER).map((file) => {
  const { tables: stored, ...rest } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fixture;
  const present = Object.entries(stored).map(([table, rows]) => [presentTable(table), rows]);
  return [file.replace('.json', ''), { ...rest, tables: Object.fromEntries(present) }];
});

/** Reads the rows of the only account of a service. */
export const readRows = async (service: LocalService, account: string, storedBy: string): Promise<Fixture> => {
  const names = Object.keys(tables) as TableName[];
  const read = names.map(async (name) => [name, await scanRaw(service, name)]);
  return { account, storedBy, tables: Object.fromEntries(await Promise.all(read)) };
};

/** Writes a fixture with a row on each line. */
export const writeFixture = (name: string, { tables: stored, ...rest }: Fixture): void => {
  const rowsOf = (rows: readonly RawItem[]) => rows.map((row) => `\n    ${JSON.stringify(row)}`).join(',');
  const parts = Object.entries(stored).map(([table, rows]) => `\n  ${JSON.stringify(table)}: [${rowsOf(rows)}\n  ]`);
  const text = `${JSON.stringify(rest).slice(0, -1)}, "tables": {${parts.join(',')}\n}}\n`;
  writeFileSync(new URL(`${name}.json`, FOLDER), text);
};

/** Puts the rows of a fixture into the tables. */
export const loadFixture = async (service: LocalService, { tables: stored }: Fixture): Promise<void> => {
  for (const [table, rows] of Object.entries(stored))
    await putAll(service, service.environment[tables[table as TableName].variable] as string, rows);
};
