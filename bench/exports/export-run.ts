import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Builds } from '#bench/measure/builds.ts';
import { ACCOUNT } from '#bench/measure/invoices.ts';
import { sqsEvent } from '#local/workers/batch.ts';
import { type Export, requestExport } from '#shared/invoicing/exports/rules.ts';
import type { Stores } from '#shared/invoicing/stores.ts';
import type { Commit } from '#shared/platform/commit/commit.ts';
import { createId } from '#shared/platform/id.ts';

const CHILD = fileURLToPath(new URL('export-child.mjs', import.meta.url));
const WAIT_MS = 5000;

/** The measurements of one export in its own process. */
export interface ExportRun {
  readonly milliseconds: number;
  /** CPU time (user and system, all threads), in milliseconds. */
  readonly cpu: number;
  /** In bytes. */
  readonly peakRss: number;
  /** The number of HTTP requests, including retries, by operation. */
  readonly calls: Readonly<Record<string, number>>;
  /** The job after the export. */
  readonly job: Export;
}

export interface ExportStores {
  readonly stores: Stores;
  readonly commit: Commit;
  readonly s3: S3Client;
  readonly bucket: string;
}

/**
 * Exports the invoices created before a time to CSV, and deletes the file.
 * @throws Error when the job is not completed, or its file has another SHA-256
 */
export const runExport = async (
  worker: Builds['exportWorker'],
  { stores, commit, s3, bucket }: ExportStores,
  created_before: string,
): Promise<ExportRun> => {
  const at = new Date().toISOString();
  const body = { type: 'invoices', format: 'csv', filter: { created_before } } as const;
  const pending = requestExport(body, { id: createId(at, 0), at });
  // The worker decrements this counter in the transaction that completes the job.
  const counted = stores.counters.increment('unfinished_exports', 20, { code: 'too-many-exports' });
  await commit({ writes: [...stores.exports.insert(pending), ...counted], deadline: Date.now() + WAIT_MS });
  const measured = await runWorker(worker, pending);
  const job = (await stores.exports.find([pending.id])).get(pending.id);
  if (job?.status !== 'completed') throw new Error(`The export by ${worker.bundle} has the status ${job?.status}.`);
  const file = { Bucket: bucket, Key: `${ACCOUNT}/${job.file_key}` };
  const { Body } = await s3.send(new GetObjectCommand(file));
  const hash = createHash('sha256');
  await pipeline(Body as Readable, hash);
  if (hash.digest('hex') !== job.sha256) throw new Error(`The file by ${worker.bundle} differs from its sha256.`);
  await s3.send(new DeleteObjectCommand(file));
  return { ...measured, job };
};

const runWorker = async (
  { bundle, node_options }: Builds['exportWorker'],
  { id }: Export,
): Promise<Omit<ExportRun, 'job'>> => {
  const Body = JSON.stringify({ account_id: ACCOUNT, export_id: id });
  const message = { MessageId: '1', ReceiptHandle: '1', Body, Attributes: { ApproximateReceiveCount: '1' } };
  const event = JSON.stringify(sqsEvent([message], 'arn:aws:sqs:eu-central-1:000000000000:exports'));
  // Without a pace, the time is that of the worker.
  const pace = { PARTITION_READ_UNITS: '1000000' };
  const env = { ...process.env, ...pace, NODE_OPTIONS: node_options, POWERTOOLS_METRICS_NAMESPACE: 'bench' };
  const child = spawn(process.execPath, [CHILD, bundle, event], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [measured, [code]] = await Promise.all([
    json(child.stdio[3] as Readable).catch(() => undefined),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`The process of ${bundle} exited with ${code}.`);
  return measured as Omit<ExportRun, 'job'>;
};
