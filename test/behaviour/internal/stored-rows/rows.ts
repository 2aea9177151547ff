import { createId } from '#shared/platform/id.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { readableResources } from '#test/support/requests/requests.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Each resource with rows of its own; events come from the others. */
export const RESOURCES = [...readableResources].filter(([, { collection }]) => collection !== 'events');

let last = 0;
export const newId = (): number => {
  last = Math.max(last + 1, createId(new Date().toISOString(), 0));
  return last;
};

/** A row as this deployment stores it, without index keys. */
export const storedRow = async (service: LocalService, table: TableName, account_id: string): Promise<Row> => {
  const [row = {}] = await rowsOf(service, table, account_id);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('by_') && name !== 'write_id'));
};
