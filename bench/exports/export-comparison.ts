import { S3Client } from '@aws-sdk/client-s3';
import type { Builds } from '#bench/measure/builds.ts';
import { createDatabase } from '#bench/measure/database.ts';
import { requireDynoxide } from '#bench/measure/dynoxide.ts';
import { ACCOUNT, middleTime } from '#bench/measure/invoices.ts';
import { atLeast, atMost, type Report } from '#bench/measure/report.ts';
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

const SPEED_TARGET = 2;
const MEMORY_TARGET_MB = 250;
const GROWTH_TARGET = 1.1;

type Side = keyof Builds['exportWorkers'];

/** One range of invoices, exported by both sides. */
type Round = Readonly<Record<Side, ExportRun>>;

/**
 * Compares the export worker with a simple one, for `count` invoices of one account and for half of them, and prints
 * the figures. It asserts only that both files are the same.
 */
export const compareExports = async (
  { exportWorkers }: Builds,
  directory: string,
  count: number,
  report: Report,
): Promise<void> => {
  const { exportStores, close } = await openStores(directory, count, report);
  try {
    const progress = report.progress('Exports');
    const rounds: Round[] = [];
    for (const [i, before] of [middleTime(count), MAX_TIME].entries()) {
      progress(2 * i, 4);
      const service = await runExport(exportWorkers.service, exportStores, before);
      progress(2 * i + 1, 4);
      const simple = await runExport(exportWorkers.simple, exportStores, before);
      if (service.job.sha256 !== simple.job.sha256) throw new Error('The files of both workers differ.');
      rounds.push({ simple, service });
    }
    printRounds(rounds, report);
    printMemory(rounds, report);
    printCalls(rounds, report);
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

const printRounds = (rounds: readonly Round[], { print, row }: Report): void => {
  print(row('\nrows per second', 'simple', 'service', 'ratio'));
  for (const { simple, service } of rounds) {
    const ratio = speed(service) / speed(simple);
    const target = atLeast(ratio, SPEED_TARGET);
    print(row(rowsOf(service), whole(speed(simple)), whole(speed(service)), ratio.toFixed(2), target));
  }
  print(row('\nCPU per row, in µs', 'simple', 'service', 'ratio', '  of the worker, without the engines'));
  for (const { simple, service } of rounds) {
    const ratio = cost(service) / cost(simple);
    print(row(rowsOf(service), cost(simple).toFixed(1), cost(service).toFixed(1), ratio.toFixed(2)));
  }
};

const speed = ({ job, milliseconds }: ExportRun): number => (1000 * job.row_count) / milliseconds;
const cost = ({ job, cpu }: ExportRun): number => (1000 * cpu) / job.row_count;

const printMemory = (rounds: readonly Round[], { print, row }: Report): void => {
  print(row('\npeak RSS, in MB', 'simple', 'service'));
  for (const { simple, service } of rounds) {
    const target = atMost(inMegabytes(service), MEMORY_TARGET_MB);
    print(row(rowsOf(service), whole(inMegabytes(simple)), whole(inMegabytes(service)), target));
  }
  const [half, all] = rounds.map(({ service }) => service) as [ExportRun, ExportRun];
  const growth = all.peakRss / half.peakRss;
  print(row('growth', '', growth.toFixed(2), atMost(growth, GROWTH_TARGET)));
};

const inMegabytes = ({ peakRss }: ExportRun): number => peakRss / 2 ** 20;

const printCalls = (rounds: readonly Round[], { print, row }: Report): void => {
  const [simple, service] = (['simple', 'service'] as const).map((side) => rounds.at(-1)?.[side]) as [
    ExportRun,
    ExportRun,
  ];
  const perMillion = ({ job, calls }: ExportRun, name: string) => whole(((calls[name] ?? 0) * 1e6) / job.row_count);
  print(row('\ncalls per million rows', 'simple', 'service'));
  for (const name of new Set([...Object.keys(service.calls), ...Object.keys(simple.calls)])) {
    print(row(name, perMillion(simple, name), perMillion(service, name)));
  }
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const rowsOf = ({ job }: ExportRun): string => `${whole(job.row_count)} rows`;
