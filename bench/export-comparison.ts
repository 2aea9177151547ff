import { S3Client } from '@aws-sdk/client-s3';
import { startDynamo } from '#local/engines/dynamodb.ts';
import { openQueueAndFiles } from '#local/engines/queue-and-files.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import { stores } from '#shared/invoicing/stores.ts';
import type { DynamoContext } from '#shared/platform/data/client.ts';
import { createDynamoClient } from '#shared/platform/data/client.ts';
import { createCommit } from '#shared/platform/data/commit.ts';
import type { Builds } from './builds.ts';
import { makeDatabase } from './database.ts';
import { type Exported, type ExportStores, exported } from './exporter.ts';
import { ACCOUNT, middle } from './invoices.ts';
import { atLeast, atMost, type Report } from './report.ts';

const BUCKET = 'exports';
const EVER = '9999-12-31T23:59:59.999Z';

const SPEED_TARGET = 2;
const MEMORY_TARGET_MB = 250;
const GROWTH_TARGET = 1.1;

type Side = keyof Builds['exporters'];

/** An export of so many rows, by each side. */
type Round = Readonly<Record<Side, Exported>>;

/**
 * Measures the export worker against a straightforward one, over so many invoices of one account and over half of
 * them, and says what came of it; nothing is asserted but that both files are the same.
 */
export const compareExports = async (
  { exporters }: Builds,
  directory: string,
  count: number,
  paper: Report,
): Promise<void> => {
  const { office, close } = await openStores(directory, count, paper);
  try {
    const turns = paper.progress('Exports');
    const rounds: Round[] = [];
    for (const [i, before] of [middle(count), EVER].entries()) {
      turns(2 * i, 4);
      const service = await exported(exporters.service, office, before);
      turns(2 * i + 1, 4);
      const peer = await exported(exporters.peer, office, before);
      if (service.job.sha256 !== peer.job.sha256) throw new Error('The files are not the same.');
      rounds.push({ peer, service });
    }
    sayRounds(rounds, paper);
    sayMemory(rounds, paper);
    sayCalls(rounds, paper);
  } finally {
    await close();
  }
};

/** The engines, the one with the invoices, in other processes than the workers'. */
const openStores = async (directory: string, count: number, { say, progress }: Report) => {
  say(`\nExport of ${count.toLocaleString('en')} invoices of one account to CSV, and of half of them`);
  const database = await startDynamo(await makeDatabase(directory, count, progress('Thousands of invoices')));
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
  const office: ExportStores = {
    stores: stores({ client, tableNames }, ACCOUNT),
    commit: createCommit({ client, tableNames }),
    s3,
    bucket: BUCKET,
  };
  const close = async () => {
    client.destroy();
    s3.destroy();
    await Promise.all([database.stop(), engine?.stop()]);
  };
  return { office, close };
};

const whole = (value: number): string => Math.round(value).toLocaleString('en');

const speed = ({ job, milliseconds }: Exported): number => (1000 * job.row_count) / milliseconds;
const cost = ({ job, cpu }: Exported): number => (1000 * cpu) / job.row_count;

const sayRounds = (rounds: readonly Round[], { say, row }: Report): void => {
  say(row('\nrows per second', 'peer', 'service', 'ratio'));
  for (const { peer, service } of rounds) {
    const ratio = speed(service) / speed(peer);
    const told = atLeast(ratio, SPEED_TARGET);
    say(row(`${whole(service.job.row_count)} rows`, whole(speed(peer)), whole(speed(service)), ratio.toFixed(2), told));
  }
  say(row('\nCPU of a row, in µs', 'peer', 'service', 'ratio', '  of the worker alone, without the engines'));
  for (const { peer, service } of rounds) {
    const ratio = cost(service) / cost(peer);
    say(row(`${whole(service.job.row_count)} rows`, cost(peer).toFixed(1), cost(service).toFixed(1), ratio.toFixed(2)));
  }
};

const inMegabytes = ({ peak }: Exported): number => peak / 2 ** 20;

const sayMemory = (rounds: readonly Round[], { say, row }: Report): void => {
  say(row('\npeak RSS, in MB', 'peer', 'service'));
  for (const { peer, service } of rounds) {
    const told = atMost(inMegabytes(service), MEMORY_TARGET_MB);
    say(row(`${whole(service.job.row_count)} rows`, whole(inMegabytes(peer)), whole(inMegabytes(service)), told));
  }
  const [half, all] = rounds.map(({ service }) => service) as [Exported, Exported];
  const growth = all.peak / half.peak;
  say(row('growth', '', growth.toFixed(2), atMost(growth, GROWTH_TARGET)));
};

const sayCalls = (rounds: readonly Round[], { say, row }: Report): void => {
  const [peer, service] = (['peer', 'service'] as const).map((side) => rounds.at(-1)?.[side]) as [Exported, Exported];
  const perMillion = ({ job, calls }: Exported, name: string) => whole(((calls[name] ?? 0) * 1e6) / job.row_count);
  say(row('\ncalls per million rows', 'peer', 'service'));
  for (const name of new Set([...Object.keys(service.calls), ...Object.keys(peer.calls)])) {
    say(row(name, perMillion(peer, name), perMillion(service, name)));
  }
};
