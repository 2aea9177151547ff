import { type AccountState, memberOf } from '#infra/operations/audit/account-state.ts';
import type { Check, Finding } from '#infra/operations/audit/check.ts';
import { release } from '#shared/invoicing/exports/job.ts';
import { type Export, endExport, isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { nextVersion } from '#shared/platform/entity.ts';

export const jobs: Check = {
  name: 'jobs',
  holds: 'An export that has not ended is due at some time; one that has ended is not.',
  repairs: 'The export starts again at the next run of the reconciler. One that has ended loses the time.',
  find: ({ rows }: AccountState) =>
    (rows.exports as unknown as Export[]).flatMap((row): Finding[] => {
      const job = memberOf(tables.exports, row);
      const hasEnded = !isUnfinished(job);
      if ((job.due_at === undefined) === hasEnded) return [];
      return [
        {
          table: 'exports',
          id: row.id,
          detail: `The export has ${hasEnded ? 'ended' : 'not ended'}, due_at is ${job.due_at}.`,
          evidence: row.version,
          repair: ({ commit, stores, now }) =>
            commit(() => {
              const at = now();
              const after = hasEnded
                ? nextVersion(job, { ...job, due_at: undefined }, at)
                : release(job, job.checkpoint, at);
              return stores.exports.replace(job, after);
            }),
        },
      ];
    }),
};

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
