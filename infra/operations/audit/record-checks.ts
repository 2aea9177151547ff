import { type AccountState, RESOURCE_NAMES } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { isDeleted, knownOf } from '#infra/operations/audit/feed-view.ts';
import { resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';

const CREATED = [201, 202];
const LOCATION = /^\/v\d+\/([a-z-]+)\/(\d+)$/;

/** The resource whose creation a record answers for. */
const createdBy = (headers: Readonly<Record<string, string>>) => {
  const location = Object.entries(headers).find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  const [, collection, id] = LOCATION.exec(location) ?? [];
  const table = RESOURCE_NAMES.find((name) => resources[name].collection === collection);
  return table && { table, id: Number(id) };
};

/** A client that repeats a request gets the stored response: it must not name a resource that a restore has lost. */
export const records: Check = {
  name: 'records',
  holds: 'The resource that a stored response reports as created is stored, or its deletion is an event.',
  repairs: 'The record is deleted, so that a repeated request is executed again.',
  find: (state: AccountState) => {
    const ids = Object.fromEntries(RESOURCE_NAMES.map((name) => [name, new Set(state.rows[name].map(({ id }) => id))]));
    return state.records.flatMap(({ key, status, headers, created_at }): Finding[] => {
      const created = CREATED.includes(status) ? createdBy(headers) : undefined;
      if (!created || tables[created.table].expiry) return [];
      const { table, id } = created;
      if (ids[table]?.has(id) || isDeleted(knownOf(state, table, id))) return [];
      const detail = `Its response has the id ${id} of ${resources[table].collection}, which is not stored.`;
      const removal = conditional({ table: 'idempotency', key: { key }, remove: true }, [
        ['created_at', '=', created_at],
      ]);
      const repair: Repair = ({ commit }) => commit(() => [removal]);
      return [{ table: 'idempotency', id: key, detail, evidence: created_at, repair }];
    });
  },
};
