import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { sqsEvent } from '#local/workers/batch.ts';
import { type Export, requestExport } from '#shared/invoicing/exports/rules.ts';
import type { Stores } from '#shared/invoicing/stores.ts';
import type { Commit } from '#shared/platform/data/commit.ts';
import { createId } from '#shared/platform/id.ts';
import { ACCOUNT } from './invoices.ts';

const CHILD = fileURLToPath(new URL('export-child.mjs', import.meta.url));
const WAIT_MS = 5000;

/** What one export took, in a process of its own. */
export interface Exported {
  readonly milliseconds: number;
  /** CPU time, user and system, of all the process's threads, in milliseconds. */
  readonly cpu: number;
  /** The process's peak RSS, in bytes. */
  readonly peak: number;
  /** The HTTP requests that it sent, by operation: one for each attempt. */
  readonly calls: Readonly<Record<string, number>>;
  /** The job as it was left. */
  readonly job: Export;
}

/** A worker's bundle, and what Node is started with for it. */
export interface Exporter {
  readonly bundle: string;
  readonly node_options: string;
}

/** Where exports are requested and their files are found. */
export interface ExportStores {
  readonly stores: Stores;
  readonly commit: Commit;
  readonly s3: S3Client;
  readonly bucket: string;
}

/**
 * Has a worker export the invoices created before a time to CSV, and removes the file.
 * @throws Error when the job is not completed, or its file is not what the job says
 */
export const exported = async (exporter: Exporter, office: ExportStores, created_before: string): Promise<Exported> => {
  const { stores, commit, s3, bucket } = office;
  const requested = new Date().toISOString();
  const terms = { type: 'invoices', format: 'csv', filter: { created_before } } as const;
  const asked = requestExport(terms, { id: createId(requested, 0), at: requested });
  await commit(stores.exports.insert(asked), undefined, Date.now() + WAIT_MS);
  const taken = await inChild(exporter, asked);
  const job = (await stores.exports.find([asked.id])).get(asked.id);
  if (job?.status !== 'completed') throw new Error(`The export by ${exporter.bundle} is ${job?.status}.`);
  const file = { Bucket: bucket, Key: `${ACCOUNT}/${job.file_key}` };
  const { Body } = await s3.send(new GetObjectCommand(file));
  const hash = createHash('sha256');
  await pipeline(Body as Readable, hash);
  if (hash.digest('hex') !== job.sha256) throw new Error(`The file by ${exporter.bundle} is not what its job says.`);
  await s3.send(new DeleteObjectCommand(file));
  return { ...taken, job };
};

const inChild = async ({ bundle, node_options }: Exporter, { id }: Export): Promise<Omit<Exported, 'job'>> => {
  const Body = JSON.stringify({ account_id: ACCOUNT, export_id: id });
  const message = { MessageId: '1', ReceiptHandle: '1', Body, Attributes: { ApproximateReceiveCount: '1' } };
  const event = JSON.stringify(sqsEvent([message], 'arn:aws:sqs:eu-central-1:000000000000:exports'));
  const env = { ...process.env, NODE_OPTIONS: node_options, POWERTOOLS_METRICS_NAMESPACE: 'bench' };
  const child = spawn(process.execPath, [CHILD, bundle, event], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [taken, [code]] = await Promise.all([
    json(child.stdio[3] as Readable).catch(() => undefined),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`The process of ${bundle} ended with ${code}.`);
  return taken as Omit<Exported, 'job'>;
};
