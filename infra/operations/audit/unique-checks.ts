import { type AccountState, RESOURCE_NAMES, type Row } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { uniqueKeys } from '#shared/platform/store/unique-values.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

/** A member that has a value. */
interface Holder {
  readonly table: ResourceName;
  readonly row: Row;
}

const holdersOf = ({ account, rows }: AccountState): Map<string, Holder[]> => {
  const holders = RESOURCE_NAMES.flatMap((table) =>
    rows[table].flatMap((row) =>
      uniqueKeys(tables[table].unique, account, row).map(({ value }) => ({ value, holder: { table, row } })),
    ),
  );
  const byValue = Map.groupBy(holders, ({ value }) => value);
  return new Map([...byValue].map(([value, found]) => [value, found.map(({ holder }) => holder)]));
};

export const uniqueValues: Check = {
  name: 'unique-values',
  holds: 'Each value of a unique field has one member, and a row with its id; no other row exists.',
  repairs: 'The row gets the id of the only member, or is deleted. Two members with one value are left to an operator.',
  find: (state) => {
    const holders = holdersOf(state);
    const stored = new Map(state.uniqueValues.map(({ value, id }) => [value, id]));
    const values = [...new Set([...holders.keys(), ...stored.keys()])];
    return values.flatMap((value): Finding[] => {
      const [first, ...others] = holders.get(value) ?? [];
      const id = stored.get(value);
      const evidence = [id, [first, ...others].map((holder) => holder && [holder.row.id, holder.row.version])];
      const found = { table: 'uniqueValues' as const, id: value, evidence };
      if (others.length > 0) return [{ ...found, detail: `${others.length + 1} members have the value.` }];
      if (first?.row.id === id) return [];
      const detail = first ? 'Its row is missing, or has the id of another member.' : 'No member has the value.';
      return [{ ...found, detail, repair: write(state.account, value, id, first) }];
    });
  },
};

const write = (account_id: string, value: string, id: number | undefined, holder: Holder | undefined): Repair => {
  const key = { account_id, value };
  const row = { table: 'uniqueValues', key } as const;
  const isUnchanged = id === undefined ? (['id', 'absent'] as const) : (['id', '=', id] as const);
  return ({ commit }) =>
    commit(() => {
      if (!holder) return [conditional({ ...row, remove: true }, [isUnchanged])];
      const member = { table: holder.table, key: { account_id, id: holder.row.id }, check: true } as const;
      return [
        conditional({ ...row, put: { ...key, id: holder.row.id } }, [isUnchanged]),
        conditional(member, [['version', '=', holder.row.version]]),
      ];
    });
};
