import { S3Client } from '@aws-sdk/client-s3';
import type { Builds } from '#bench/measure/builds.ts';
import { createDatabase } from '#bench/measure/database.ts';
import { requireDynoxide } from '#bench/measure/dynoxide.ts';
import { ACCOUNT, middleTime } from '#bench/measure/invoices.ts';
import { atMost, type Report } from '#bench/measure/report.ts';
import { startDynoxide } from '#local/engines/dynoxide.ts';
import { openQueueAndFiles } from '#local/engines/queue-and-files.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { type ExportRun, type ExportStores, runExport } from './export-run.ts';

const BUCKET = 'exports';
const MAX_TIME = '9999-12-31T23:59:59.999Z';

const MEMORY_TARGET_MB = 250;
const GROWTH_TARGET = 1.1;

/** Exports `count` invoices of one account, and half of them, and prints the figures of the worker's process. */
export const measureExports = async (
  worker: Builds['exportWorker'],
  directory: string,
  count: number,
  report: Report,
): Promise<void> => {
  const { exportStores, close } = await openStores(directory, count, report);
  try {
    const progress = report.progress('Exports');
    const runs: ExportRun[] = [];
    for (const [i, before] of [middleTime(count), MAX_TIME].entries()) {
      progress(i, 2);
      runs.push(await runExport(worker, exportStores, before));
    }
    printRuns(runs, report);
  } finally {
    await close();
  }
};

/** Starts the engines, and loads the invoices. */
const openStores = async (directory: string, count: number, { print, progress }: Report) => {
  print(`\nExport of ${count.toLocaleString('en')} invoices of one account to CSV, and of half of them`);
  const database = await startDynoxide(
    requireDynoxide(),
    await createDatabase(directory, count, progress('Thousands of invoices')),
  );
  Object.assign(process.env, tableVariables(), {
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    EXPORTS_BUCKET: BUCKET,
    EXPORTS_QUEUE_URL: 'http://127.0.0.1/000000000000/exports',
  });
  await createTables(database.endpoint);
  const { engine } = await openQueueAndFiles(process.env, undefined);
  const client = createDynamoClient();
  const tableNames = Object.fromEntries(
    Object.values(tableVariables()).map((name) => [name, name]),
  ) as DynamoContext['tableNames'];
  const s3 = new S3Client({ forcePathStyle: true });
  const exportStores: ExportStores = {
    stores: createStores({ client, tableNames, checks })(ACCOUNT),
    commit: createCommit({ client, tableNames }),
    s3,
    bucket: BUCKET,
  };
  const close = async () => {
    client.destroy();
    s3.destroy();
    await Promise.all([database.stop(), engine?.stop()]);
  };
  return { exportStores, close };
};

const printRuns = (runs: readonly ExportRun[], { print, row }: Report): void => {
  print(row('\n', 'rows/s', 'CPU µs/row', 'peak RSS in MB'));
  for (const { job, milliseconds, cpu, peakRss } of runs) {
    const [speed, cost] = [(1000 * job.row_count) / milliseconds, (1000 * cpu) / job.row_count];
    const memory = peakRss / 2 ** 20;
    const target = atMost(memory, MEMORY_TARGET_MB);
    print(row(`${whole(job.row_count)} rows`, whole(speed), cost.toFixed(1), whole(memory), target));
  }
  const [half, all] = runs as [ExportRun, ExportRun];
  const growth = all.peakRss / half.peakRss;
  print(row('growth of peak RSS', growth.toFixed(2), atMost(growth, GROWTH_TARGET)));
  for (const [name, count] of Object.entries(all.calls)) print(row(name, whole(count)));
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');
