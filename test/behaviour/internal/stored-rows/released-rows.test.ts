import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { audit } from '#infra/operations/audit/audit.ts';
import { backfill } from '#infra/operations/backfill.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf } from '#shared/platform/dynamodb/table.ts';
import type { ResourceName, TableName } from '#shared/vocabulary.ts';
import { fillAccount } from '#test/resilience/account/full-account.ts';
import { putAll, type RawItem } from '#test/support/engine/raw-reads.ts';
import { readEverything } from '#test/support/requests/read-everything.ts';
import { operations, otherBodyOf, readableResources } from '#test/support/requests/requests.ts';
import { runLater } from '#test/support/service/clock.ts';
import { deploymentOf } from '#test/support/service/deployment.ts';
import { makers } from '#test/support/service/makers.ts';
import { recordOf, startWorkers, type Workers } from '#test/support/service/workers.ts';
import { scanRaw } from '#test/support/state/invariants.ts';

/*
 * The rows that each release stored (`releases`), and those of this code, in the form that a release records.
 * With RELEASE, this file records them for `npm run release`.
 */

interface Fixture {
  readonly account: string;
  readonly tables: Readonly<Record<string, readonly RawItem[]>>;
}

const FOLDER = new URL('./releases/', import.meta.url);
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER) : [];

const { RELEASE = 'this-code' } = process.env;
const account = `release_${RELEASE.replaceAll('.', '-')}`;

let workers: Workers;
let present: Fixture;
beforeAll(async () => {
  workers = await startWorkers();
  await fillAccount(workers, account);
  const names = Object.keys(tables) as TableName[];
  const rows = names.map(async (name) => [name, await scanRaw(workers.service, name)] as const);
  present = { account, tables: Object.fromEntries(await Promise.all(rows)) };
  if (process.env['RELEASE']) write(RELEASE, present);
});
afterAll(() => workers?.stop());

/** Writes each row on a line of its own. */
const write = (name: string, { tables: stored }: Fixture): void => {
  const lines = (rows: readonly RawItem[]) => rows.map((row) => `\n    ${JSON.stringify(row)}`).join(',');
  const parts = Object.entries(stored).map(([table, rows]) => `\n  ${JSON.stringify(table)}: [${lines(rows)}\n  ]`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL(`${name}.json`, FOLDER), `{"account": "${account}", "tables": {${parts.join(',')}\n}}\n`);
};

/** The attributes that every row of a resource has now, except index keys, that rows of a fixture lack and that declare no value for them. */
const newerAttributes = (fixture: Fixture): string[] =>
  [...readableResources.values()].flatMap(({ table, storedBefore = {} }) => {
    const [first = {}, ...others] = present.tables[table] ?? [];
    const keys = indexesOf(tables[table as ResourceName]).flatMap(({ partition, sort }) => [partition, sort]);
    return Object.keys(first)
      .filter((name) => !keys.includes(name) && others.every((row) => name in row))
      .filter((name) => !(name in storedBefore) && fixture.tables[table]?.some((row) => !(name in row)))
      .map((name) => `${table}.${name}`);
  });

const load = async ({ tables: stored }: Fixture): Promise<void> => {
  for (const [table, rows] of Object.entries(stored))
    await putAll(workers.service, workers.service.environment[tables[table as TableName].variable] as string, rows);
};

/** Changes each member that a PATCH without a parent in its path can change. */
const patchEverything = async (as: Fixture['account']): Promise<void> => {
  const make = makers(workers.service, { account: as });
  for (const [, operation] of operations.filter(([, { method }]) => method === 'PATCH')) {
    const [, collection = ''] = operation.path.split('/');
    for (const { id } of await make.list(`/v1/${collection}`)) {
      const { status, text } = await make.send('PATCH', `/v1/${collection}/${id}`, otherBodyOf(operation));
      // The state of a row can refuse a change, such as that of a paid invoice.
      expect([operation.route, status === 200 || status === 409 || text]).toEqual([operation.route, true]);
    }
  }
};

/** Ends the exports that wait. */
const endExports = async (as: Fixture['account']): Promise<void> => {
  await workers.run('workers/reconcile', {});
  await workers.drain((bodies) => {
    const Records = bodies.filter((body) => body.includes('export_id')).map((body) => recordOf(body));
    return workers.run('workers/export', { Records }, 300_000);
  });
  const make = makers(workers.service, { account: as });
  for (const status of ['pending', 'running']) expect(await make.list(`/v1/exports?status=${status}`)).toEqual([]);
};

// A run of the reconciler is for all accounts, so each fixture is loaded after the runs of those before.
test.each(['this code', ...FILES])('the rows of %s: they can be read and changed, and exports end', async (name) => {
  const isRecorded = name !== 'this code';
  const fixture: Fixture = isRecorded ? JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) : present;
  expect(Object.entries(fixture.tables).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(newerAttributes(fixture)).toEqual([]);
  if (isRecorded) await load(fixture);
  const deployment = deploymentOf(workers, { ...workers.own, dynamo: workers.service.client });
  for (const { table } of readableResources.values())
    for await (const _ of backfill(deployment, table as ResourceName));
  await readEverything(workers.service, { account: fixture.account });
  await patchEverything(fixture.account);
  const findings = await Array.fromAsync(audit(deployment, { account: fixture.account }));
  // A fixture has no files.
  expect(findings.filter(({ check }) => check !== 'files')).toEqual([]);
  await runLater(60, () => endExports(fixture.account));
});
