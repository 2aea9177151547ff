import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '#shared/invoicing/tables.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { createEntity } from '#shared/platform/entity.ts';
import { createS3Client } from '#shared/platform/files/bucket.ts';
import type { Job } from '#shared/platform/jobs/job.ts';
import { created, type JobState } from '#shared/platform/jobs/state.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { Counters } from '#shared/platform/store/counters.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { Store } from '#shared/platform/store/store.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import type { Data } from '#test/unit/platform/engine.ts';

/** A kind of job for tests: a parcel that couriers carry from stop to stop. */
export interface Parcel extends JobState {
  readonly place: 'shelf' | 'van' | 'door' | 'lost';
  readonly stop: number;
  readonly reason?: string;
}

export const START = Date.parse('2026-11-21T09:00:00.000Z');
const GRACE_MS = 5000;

/** The tests have no table for parcels; they use the table of exports. */
export const parcelJob: Job<Parcel, ExportMessage, { readonly parcels: Store<Parcel>; readonly counters: Counters }> = {
  table: 'exports',
  queue: 'exports',
  rows: ({ parcels }) => parcels,
  toMessage: ({ account_id, id }) => ({ account_id, export_id: id }),
  toId: ({ export_id }) => export_id,
  leaseMs: 80,
  graceMs: GRACE_MS,
  maxAttempts: 2,
  hasEnded: ({ place }) => place === 'door' || place === 'lost',
  startDelayMs: ({ created_at }, at) => Math.max(0, Date.parse(created_at) - Date.parse(at)),
  onFail: (_, reason) => ({ place: 'lost', reason }),
  // Counts the ends.
  endWrites: ({ counters }) => counters.increment('unfinished_exports', 99, { code: 'internal-error' }),
  endMetric: ({ place }) => (place === 'lost' ? 'ExportsFailed' : 'ExportsCompleted'),
  remindedMetric: 'ExportsReminded',
};

export const parcel = (id: number, delayMs = 0): Parcel => {
  const creation = { id, at: new Date(START + delayMs).toISOString() };
  return createEntity<Omit<Parcel, 'id' | 'version' | 'created_at' | 'updated_at'>>(
    { place: 'shelf', stop: 0, ...created(creation.at, 0, GRACE_MS) },
    creation,
  );
};

/** The clock, the stores and the queue of the workers, and records of what the workers did. */
export const createDepot = ({ engine }: Data) => {
  const submit = createCommit(engine);
  // A parcel has no fields.
  const unchecked = { ...engine, checks: { exports: { checkRow: () => {} } } };
  const across = new CrossAccountQueries(engine, createS3Client(), 'none', new AbortController().signal);
  const depot = {
    /** Milliseconds after the start. */
    clock: 0,
    remainingMs: 60_000,
    sent: [] as unknown[],
    reports: [] as string[],
    counts: [] as unknown[],
    isQueueDown: false,
    /** How many of the next commits are stored although their outcome is lost. */
    lostOutcomes: 0,
    across,
    storesOf: (account: string) => ({
      counters: new Counters(account),
      parcels: new Store<Parcel>(unchecked, tables.exports, account),
    }),
    rowOf: async ({ account_id, export_id }: ExportMessage): Promise<Parcel> =>
      (await depot.storesOf(account_id).parcels.find([export_id])).get(export_id) as Parcel,
    /** The number of committed ends in an account. */
    endsOf: async (account_id: string): Promise<number> => {
      const key = { TableName: 'counters', Key: { account_id } };
      return (await engine.client.send(new GetCommand(key))).Item?.['unfinished_exports'] ?? 0;
    },
    put: async (account: string, row: Parcel): Promise<ExportMessage> => {
      await submit({ writes: depot.storesOf(account).parcels.insert(row), deadline: Date.now() + 5000 });
      return { account_id: account, export_id: row.id };
    },
    send: (...sent: unknown[]) => {
      if (depot.isQueueDown) throw new Error('The queue is down.');
      depot.sent.push(sent);
    },
    message: (body: ExportMessage): QueueMessage<ExportMessage> => ({
      body,
      settings: { webhookAddresses: { allowsLocal: true } },
      newId: () => 1,
      now: () => new Date(START + depot.clock).toISOString(),
      remaining: () => depot.remainingMs,
      commit: async (decide) => {
        const outcome = await submit({ writes: decide(), deadline: Date.now() + 5000 });
        const isDone = 'done' in outcome;
        if (isDone && depot.lostOutcomes > 0 && depot.lostOutcomes--) throw new ProblemError('unavailable');
        return isDone;
      },
      send: async (_queue, message) => depot.send(message),
      sendAgain: async (delayMs) => depot.send(body, delayMs),
      report: (what) => depot.reports.push(what),
      count: (...counted) => depot.counts.push(counted),
    }),
  };
  return depot;
};
