import { type AccountState, RESOURCE_NAMES, RESOURCES, type Row } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding } from '#infra/operations/audit/check.ts';
import { sourceClauses } from '#infra/operations/source-clauses.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

const forEachRow = (
  state: AccountState,
  check: (table: ResourceName, row: Row) => Omit<Finding, 'table' | 'id'> | undefined,
): Finding[] =>
  RESOURCE_NAMES.flatMap((table) =>
    state.rows[table].flatMap((row) => {
      const found = check(table, row);
      return found ? [{ table, id: row.id, ...found }] : [];
    }),
  );

export const values: Check = {
  name: 'values',
  holds: 'Every value of a row is valid in the schema of its field.',
  find: (state) =>
    forEachRow(state, (table, row) => {
      try {
        RESOURCES[table].checkRow(row);
        return undefined;
      } catch (error) {
        return { detail: (error as Error).message, evidence: row };
      }
    }),
};

export const indexes: Check = {
  name: 'indexes',
  holds: 'Every row has exactly the index keys that follow from its attributes.',
  repairs: 'The index keys are written again.',
  find: (state) =>
    forEachRow(state, (table, row) => {
      const keys = indexKeys(tables[table], state.account, row);
      const wrong = Object.keys(keys).filter((name) => row[name] !== keys[name]);
      if (wrong.length === 0) return undefined;
      const set = Object.fromEntries(wrong.flatMap((name) => (keys[name] === undefined ? [] : [[name, keys[name]]])));
      const update = { set, remove: wrong.filter((name) => keys[name] === undefined) };
      const key = { account_id: state.account, id: row.id };
      return {
        detail: `The index key ${wrong.join(', ')} is not that of the attributes.`,
        evidence: row,
        repair: ({ commit }) => commit(() => [conditional({ table, key, update }, sourceClauses(table, row))]),
      };
    }),
};
