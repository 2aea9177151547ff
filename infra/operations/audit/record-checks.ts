import type { AccountState } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { isDeleted, knownOf } from '#infra/operations/audit/feed-view.ts';
import { resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';

/** A client that repeats a request gets the stored response: it must not name a resource that a restore has lost. */
export const records: Check = {
  name: 'records',
  holds: 'The resource that a stored response reports as created is stored, or its deletion is an event.',
  repairs: 'The record is deleted, so that a repeated request is executed again.',
  find: (state: AccountState) => {
    const ids = Object.fromEntries(
      Object.entries(state.rows).map(([name, rows]) => [name, new Set(rows.map(({ id }) => id))]),
    );
    return state.records.flatMap(({ key, table, id, created_at }): Finding[] => {
      if (tables[table].expiry || ids[table]?.has(id) || isDeleted(knownOf(state, table, id))) return [];
      const detail = `Its response has the id ${id} of ${resources[table].collection}, which is not stored.`;
      const removal = conditional({ table: 'idempotency', key: { key }, remove: true }, [
        ['created_at', '=', created_at],
      ]);
      const repair: Repair = ({ commit }) => commit(() => [removal]);
      return [{ table: 'idempotency', id: key, detail, evidence: created_at, repair }];
    });
  },
};
