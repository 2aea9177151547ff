import { type AccountState, memberOf } from '#infra/operations/audit/account-state.ts';
import type { Check, Finding } from '#infra/operations/audit/check.ts';
import { storeOf } from '#infra/operations/audit/version-checks.ts';
import { release } from '#shared/invoicing/exports/job.ts';
import { type Export, endExport, isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { resume, type WebhookDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { type Entity, nextVersion } from '#shared/platform/entity.ts';

interface Kind {
  readonly table: 'exports' | 'webhookDeliveries';
  readonly hasEnded: (row: Entity) => boolean;
  readonly start: (row: Entity, at: string) => Entity;
}

const KINDS: readonly Kind[] = [
  {
    table: 'exports',
    hasEnded: (row) => !isUnfinished(row as Export),
    start: (row, at) => release(row as Export, (row as Export).checkpoint, at),
  },
  {
    table: 'webhookDeliveries',
    hasEnded: (row) => (row as WebhookDelivery).status !== 'pending',
    start: (row, at) => resume(row as WebhookDelivery, at),
  },
];

export const jobs: Check = {
  name: 'jobs',
  holds: 'A job that has not ended is due at some time; a job that has ended is not.',
  repairs: 'The job starts again at the next run of the reconciler. A job that has ended loses the time.',
  find: ({ rows }: AccountState) =>
    KINDS.flatMap(({ table, hasEnded, start }) =>
      rows[table].flatMap((row): Finding[] => {
        const job: Entity & { readonly due_at?: number } = memberOf(tables[table], row);
        if ((job.due_at === undefined) === hasEnded(job)) return [];
        return [
          {
            table,
            id: row.id,
            detail: `The job has ${hasEnded(job) ? 'ended' : 'not ended'}, due_at is ${job.due_at}.`,
            evidence: row.version,
            repair: ({ commit, stores, now }) =>
              commit(() =>
                storeOf(stores, table).replace(job, hasEnded(job) ? withoutTime(job, now()) : start(job, now())),
              ),
          },
        ];
      }),
    ),
};

const withoutTime = (job: Entity, at: string): Entity => nextVersion(job, { ...job, due_at: undefined } as Entity, at);

const LOST_FILE = { code: 'file-lost', detail: 'The file of the export was lost. Create the export again.' };

export const files: Check = {
  name: 'files',
  holds: 'The file of a completed export that has not expired is stored, with the size of the export.',
  repairs: 'The export is failed with the code file-lost.',
  find: ({ rows, files: stored, at }: AccountState) =>
    (rows.exports as unknown as Export[]).flatMap((row): Finding[] => {
      const job = memberOf(tables.exports, row);
      const { id, version, status, file_key = '', size_bytes, expires_at } = job;
      if (status !== 'completed' || (expires_at ?? '') <= at || stored.get(file_key) === size_bytes) return [];
      const detail = `The file ${file_key} has ${stored.get(file_key) ?? 'no'} bytes, not ${size_bytes}.`;
      const lost = { status: 'failed', error: LOST_FILE, file_key: undefined, expires_at: null } as const;
      return [
        {
          table: 'exports',
          id,
          detail,
          evidence: [version, stored.get(file_key)],
          repair: ({ commit, stores, now }) => commit(() => stores.exports.replace(job, endExport(job, lost, now()))),
        },
      ];
    }),
};
