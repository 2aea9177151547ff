import { tables } from '#shared/invoicing/tables.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { below, drawRequest, type Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { rowsOf, scan } from '#test/support/state/invariants.ts';
import { putRows } from '#test/support/state/put-rows.ts';

type Row = Record<string, unknown>;
export type Copies = Map<TableName, readonly Row[]>;

const TABLES = (Object.keys(tables) as TableName[]).filter((name) => name !== 'limits');

/** Reads a table's rows of one account. */
const copyOf = async (service: LocalService, table: TableName, account: string): Promise<readonly Row[]> => {
  const { partition } = tables[table].key;
  if (partition === 'account_id') return rowsOf(service, table, account);
  return (await scan(service, table)).filter((row) => String(row[partition]).startsWith(`${account}#`));
};

/** Stores the copies in the tables of another engine. */
export const restore = async (
  { client, environment }: LocalService,
  copies: ReadonlyMap<TableName, readonly object[]>,
): Promise<void> => {
  for (const [table, rows] of copies) await putRows(client, environment[tables[table].variable] as string, rows);
};

/** Reads of events publish changes, at some time; other reads change nothing. */
const REQUESTS = weightedMatrix.filter(([, , , operation]) => {
  const { method, path } = operation;
  return method !== 'GET' || path === '/events';
});

interface Options {
  readonly account: string;
  readonly chance: () => number;
  readonly count: number;
  readonly pool: Pool;
  /** Runs the workers of the account. */
  readonly work: () => Promise<unknown>;
  /** Copies each table at a random moment of the second half of the requests. */
  readonly copies?: Copies;
}

const AT_ONCE = 4;

/** Sends random requests of one account, several at a time. A 503 is possible while the workers run. */
export const sendRandomly = async (
  service: LocalService,
  { account, chance, count, pool, work, copies }: Options,
): Promise<void> => {
  const moments = TABLES.map((table) => ({ table, at: count / 2 + below(chance, count / 2) }));
  const caller = { account };
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      const number = ++sent;
      const [, version, , operation] = pick(chance, REQUESTS);
      const { target, sent: request } = drawRequest(operation, version, pool, chance);
      pool.add(operation, await service.send(target, { ...request, as: caller }));
      if (chance() < 1 / 10) await work();
      if (copies)
        for (const { table, at } of moments)
          if (at === number || (at < number && !copies.has(table))) {
            copies.set(table, []);
            copies.set(table, await copyOf(service, table, account));
          }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
};
