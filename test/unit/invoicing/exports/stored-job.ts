import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { findJob } from '#shared/invoicing/exports/job.ts';
import type { Lease } from '#shared/invoicing/exports/lease.ts';
import { remindDue } from '#shared/invoicing/exports/reconcile.ts';
import { type Export, requestExport } from '#shared/invoicing/exports/rules.ts';
import { runJob } from '#shared/invoicing/exports/worker.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { createS3Client } from '#shared/platform/files/files.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import type { Data } from '#test/unit/platform/engine.ts';

export const START = Date.parse('2026-11-21T09:00:00.000Z');

const ID = 1;
const FILE = { key: '1/1.csv', row_count: 0, size_bytes: 0, sha256: 'ff' };

export const checkpoint = (row_count: number) => ({ after: row_count, row_count, digest: new Uint8Array() });

export type Run = (lease: Lease) => Promise<void>;
export const complete: Run = (lease) => lease.complete(FILE);

/** A stored export, its workers and its reconciler, with a clock of their own and records of what they did. */
export const storeJob = async (data: Data, account_id: string) => {
  const submit = createCommit(data.engine);
  const stores = data.stores(account_id);
  const all = new CrossAccountQueries(data.engine, createS3Client(), 'none', new AbortController().signal);
  const across = {
    async *due(...[table, until]: Parameters<typeof all.due>) {
      for await (const row of all.due(table, until)) if (row.account_id === account_id) yield row;
    },
  };
  const job = {
    /** Milliseconds after the start. */
    clock: 0,
    /** The delays of the messages to the export worker. */
    sent: [] as number[],
    reports: [] as string[],
    isQueueDown: false,
    /** How many of the next commits are stored although their outcome is lost. */
    lostOutcomes: 0,
    row: async (): Promise<Export> => (await findJob(stores, ID)) as Export,
    /** The account's number of unfinished exports. A job that ends twice makes it negative. */
    unfinished: async () => {
      const { Item } = await data.client.send(new GetCommand({ TableName: 'counters', Key: { account_id } }));
      return Item?.['unfinished_exports'];
    },
    run: (run: Run): Promise<void> => runJob(message, stores, run),
    remind: () => remindDue(message, { across: across as never, storesOf: () => stores }),
    /** Commits a transition outside of a worker. */
    change: async (transition: (before: Export, at: string) => Export): Promise<void> => {
      const before = await job.row();
      const after = transition(before, message.now());
      if (after !== before)
        await message.commit(() => [
          ...stores.exports.replace(before, after),
          ...stores.counters.decrement('unfinished_exports'),
        ]);
    },
  };
  const send = async (delayMs = 0) => {
    if (job.isQueueDown) throw new Error('The queue is down.');
    job.sent.push(delayMs);
  };
  const message: QueueMessage<ExportMessage> = {
    body: { account_id, export_id: ID },
    settings: { webhookAddresses: { allowsLocal: true } },
    newId: () => 1,
    now: () => new Date(START + job.clock).toISOString(),
    remaining: () => 60_000,
    commit: async (decide) => {
      const outcome = await submit({ writes: decide(), deadline: Date.now() + 5000 });
      const isDone = 'done' in outcome;
      if (isDone && job.lostOutcomes > 0 && job.lostOutcomes--) throw new ProblemError('unavailable');
      return isDone;
    },
    send: (_queue, _message, delayMs) => send(delayMs),
    sendAgain: send,
    report: (what) => job.reports.push(what),
    count: () => {},
  };
  const requested = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: ID, at: message.now() });
  await data.commit(
    ...stores.exports.insert(requested),
    ...stores.counters.increment('unfinished_exports', 20, { code: 'internal-error' }),
  );
  return job;
};
